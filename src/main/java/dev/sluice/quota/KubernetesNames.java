package dev.sluice.quota;

import java.util.regex.Pattern;

/** Kubernetes' rules for names and labels. Each question has a sentence that says the rule to whoever broke it. */
public final class KubernetesNames {
    public static final String LABEL_RULE =
            "must be a DNS label: 1 to 63 of a-z, 0-9 and '-', beginning and ending with a letter or digit";
    public static final String SUBDOMAIN_RULE =
            "must be a DNS name: up to 253 of a-z, 0-9, '-' and '.', each part beginning and ending with a letter or digit";
    public static final String LABEL_KEY_RULE =
            "must be a label key: an optional DNS prefix and '/', then 1 to 63 of A-Z a-z 0-9 '-' '_' '.', beginning and"
                    + " ending with a letter or digit";
    public static final String LABEL_VALUE_RULE =
            "must be a label value: up to 63 of A-Z a-z 0-9 '-' '_' '.', beginning and ending with a letter or digit";
    public static final String RESOURCE_RULE =
            "must be a resource name such as cpu, memory or nvidia.com/gpu, or deviceclass/<class>[/<counter or capacity>]";

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    private KubernetesNames() {}

    public static boolean isLabel(String name) {
        return LABEL.matcher(name).matches();
    }

    public static boolean isSubdomain(String name) {
        return name.length() <= 253 && SUBDOMAIN.matcher(name).matches();
    }

    public static boolean isLabelKey(String key) {
        int slash = key.indexOf('/');
        return slash < 0
                ? NAME.matcher(key).matches()
                : isSubdomain(key.substring(0, slash))
                        && NAME.matcher(key.substring(slash + 1)).matches();
    }

    public static boolean isLabelValue(String value) {
        return value.isEmpty() || NAME.matcher(value).matches();
    }

    public static boolean isResource(String resource) {
        if (!Resources.isDeviceClass(resource)) {
            return isLabelKey(resource);
        }
        String rest = resource.substring(Resources.DEVICE_CLASS_PREFIX.length());
        int slash = rest.indexOf('/');
        return slash < 0
                ? isSubdomain(rest)
                : isSubdomain(rest.substring(0, slash)) && isLabelKey(rest.substring(slash + 1));
    }
}
