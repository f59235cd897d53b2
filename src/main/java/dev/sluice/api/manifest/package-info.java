/**
 * Kubernetes documents: YAML with its limits, Jobs as workloads, Kueue's kinds as configuration, and the way back. Whatever is not
 * understood is named and refused, since a field that is silently dropped is a promise silently broken. Start at
 * {@link dev.sluice.api.manifest.YamlDocuments} and {@link dev.sluice.api.manifest.ConfigurationDocuments}.
 */
@NullMarked
package dev.sluice.api.manifest;

import org.jspecify.annotations.NullMarked;
