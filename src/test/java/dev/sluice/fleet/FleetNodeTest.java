package dev.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetNodeTest {
    @Test
    void groups_of_nodes_are_read_from_one_line() {
        List<FleetNode> nodes =
                FleetNode.parse("2xgpu nvidia.com/gpu=8,cpu=64,memory=4Gi zone=a,tier=gold; 1xcpu cpu=500m");
        assertThat(nodes).extracting(FleetNode::name).containsExactly("gpu-1", "gpu-2", "cpu-1");
        assertThat(nodes.getFirst().allocatable())
                .isEqualTo(Map.of("nvidia.com/gpu", 8L, "cpu", 64_000L, "memory", 4L << 30));
        assertThat(nodes.getFirst().labels()).isEqualTo(Map.of("zone", "a", "tier", "gold"));
        assertThat(nodes.getLast().allocatable()).isEqualTo(Map.of("cpu", 500L));
    }

    @Test
    void a_group_that_lacks_something_is_refused_by_name() {
        assertThatThrownBy(() -> FleetNode.parse("gpu nvidia.com/gpu=8"))
                .hasMessageContaining("'gpu nvidia.com/gpu=8'");
        assertThatThrownBy(() -> FleetNode.parse("2xgpu")).hasMessageContaining("2xgpu");
        assertThatThrownBy(() -> FleetNode.parse("2xgpu cpu")).hasMessageContaining("'cpu'");
        assertThatThrownBy(() -> FleetNode.parse("2xgpu cpu=many")).hasMessageContaining("quantity");
    }
}
