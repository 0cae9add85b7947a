//! The queue of the GPU that has been opened, and what that GPU allows.

use cubecl::prelude::Client;
use cubecl::wgpu::{WgpuDevice, WgpuRuntime};
use cubecl_runtime::runtime::Runtime;

use super::plan::Limits;

/// The queue of the GPU that `training` has opened.
pub fn client() -> Client {
    #[cfg(feature = "cuda")]
    if cuda::is_there() {
        return cuda::client();
    }
    <WgpuRuntime>::client(&WgpuDevice::default())
}

/// What that GPU allows.
pub fn limits(client: &Client) -> Limits {
    let hardware = &client.properties().hardware;
    Limits {
        lanes: hardware.max_units_per_cube as usize,
        workgroup_bytes: hardware.max_shared_memory_size,
        buffer_bytes: client.properties().memory.max_page_size,
        // Mesa's simulated GPU ends the loops of a lane after 65,535 turns in all
        // (LP_MAX_TGSI_LOOP_ITERATIONS in its gallivm), without a word.
        turns: if client.properties().identity.name.contains("llvmpipe") { 60_000 } else { u64::MAX },
    }
}

/// NVIDIA's own interface, in place of Vulkan where the build and the machine have it.
///
/// # Why
/// On a cluster there is often no Vulkan. What runs on it is the same: cubecl's queue has no type of its own for
/// each interface, and before the first step a GPU has to agree with the processor, whichever it is.
#[cfg(feature = "cuda")]
pub mod cuda {
    use std::sync::OnceLock;

    use cubecl::cuda::{CudaDevice, CudaRuntime};

    use super::{Client, Runtime};

    /// Whether the machine has a driver and a device for it.
    pub fn is_there() -> bool {
        static THERE: OnceLock<bool> = OnceLock::new();
        *THERE.get_or_init(|| !<CudaRuntime>::enumerate_devices(0).is_empty())
    }

    pub(super) fn client() -> Client {
        <CudaRuntime>::client(&CudaDevice::default())
    }
}
