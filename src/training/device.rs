//! Devices that training runs on: Burn's flex on the processor, wgpu on a GPU, natively CUDA too.

use crate::protocol::{DeviceKind, DeviceReport};

/// A device that can train, with its name.
#[derive(Debug, Clone)]
pub struct Device {
    report: DeviceReport,
    #[cfg(feature = "train")]
    tensors: burn::tensor::Device,
    #[cfg(feature = "fused")]
    setup: Option<cubecl::wgpu::WgpuSetup>,
}

impl Device {
    /// The processor; in tests also where Burn is left out, for what our own loop trains.
    #[cfg(any(feature = "train", test))]
    pub fn cpu() -> Self {
        let report = DeviceReport { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
        Device {
            report,
            #[cfg(feature = "train")]
            tensors: burn::tensor::Device::flex(),
            #[cfg(feature = "fused")]
            setup: None,
        }
    }

    /// Where tensors are created.
    #[cfg(feature = "train")]
    pub fn tensors(&self) -> &burn::tensor::Device {
        &self.tensors
    }

    /// Kind and name, for the person.
    pub fn report(&self) -> &DeviceReport {
        &self.report
    }
}

#[cfg(feature = "fused")]
pub use gpu::client;

#[cfg(feature = "fused")]
mod gpu {
    use cubecl::prelude::Client;
    use cubecl::wgpu::{WgpuDevice, WgpuRuntime, WgpuSetup};
    use cubecl_runtime::runtime::Runtime;

    use super::{Device, DeviceKind, DeviceReport};
    use crate::kernels::plan::Limits;
    use crate::protocol::Failure;

    /// The queue of the GPU that [`Device::gpu`] has opened.
    pub fn client() -> Client {
        #[cfg(feature = "cuda")]
        if cuda::is_there() {
            return cuda::client();
        }
        <WgpuRuntime>::client(&WgpuDevice::default())
    }

    /// NVIDIA's own interface, in place of Vulkan where the build and the machine have it.
    ///
    /// # Why
    /// On a cluster there is often no Vulkan. What runs on it is the same: cubecl's queue has no type of its own for
    /// each interface, and before the first step a GPU has to agree with the processor, whichever it is.
    #[cfg(feature = "cuda")]
    mod cuda {
        use std::sync::OnceLock;

        use cubecl::cuda::{CudaDevice, CudaRuntime};

        use super::{Client, Device, DeviceKind, DeviceReport, Runtime};

        /// Whether the machine has a driver and a device for it.
        pub fn is_there() -> bool {
            static THERE: OnceLock<bool> = OnceLock::new();
            *THERE.get_or_init(|| !<CudaRuntime>::enumerate_devices(0).is_empty())
        }

        pub fn client() -> Client {
            <CudaRuntime>::client(&CudaDevice::default())
        }

        pub fn open() -> Device {
            let name = format!("CUDA: {}", client().properties().identity.name);
            let report = DeviceReport { kind: DeviceKind::Gpu, name, simulated: false };
            Device { report, tensors: burn::tensor::Device::cuda(0), setup: None }
        }
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

    impl Device {
        /// The GPU that wgpu prefers, initialised once per thread and shared from then on.
        ///
        /// # Errors
        /// [`Failure::NoGpu`] with a sentence when there is none.
        #[expect(clippy::await_holding_lock, reason = "a second caller must wait for the first")]
        pub async fn gpu() -> Result<Self, Failure> {
            // cubecl allows one initialisation per process, so the first answer is kept for everybody, and the
            // lock is held until it is there.
            static OPENED: std::sync::Mutex<Option<Result<Device, Failure>>> = std::sync::Mutex::new(None);
            let mut opened = OPENED.lock().map_err(|e| Failure::Internal(e.to_string()))?;
            if opened.is_none() {
                *opened = Some(Device::open_gpu().await);
            }
            opened.clone().unwrap_or_else(|| Err(Failure::NoGpu("no GPU was asked for".into())))
        }

        #[cfg(feature = "train")]
        async fn open_gpu() -> Result<Self, Failure> {
            #[cfg(feature = "cuda")]
            if cuda::is_there() {
                return Ok(cuda::open());
            }
            let opened = burn::tensor::Device::wgpu_options().init_with_setup_async().await;
            let (tensors, setup) = opened.map_err(refused)?;
            Ok(Device { report: report(&setup), tensors, setup: Some(setup) })
        }

        #[cfg(not(feature = "train"))]
        async fn open_gpu() -> Result<Self, Failure> {
            use cubecl::wgpu::{AutoGraphicsApi, RuntimeOptions, try_init_setup_async};
            let device = WgpuDevice::default();
            let opened = try_init_setup_async::<AutoGraphicsApi>(&device, RuntimeOptions::default()).await;
            let setup = opened.map_err(refused)?;
            Ok(Device { report: report(&setup), setup: Some(setup) })
        }

        /// Takes the GPU away, as a driver reset would; for tests of what happens then.
        pub fn lose(&self) {
            if let Some(setup) = &self.setup {
                setup.device.destroy();
            }
        }
    }

    fn refused(error: impl std::fmt::Display) -> Failure {
        Failure::NoGpu(format!("no GPU could be opened ({error})"))
    }

    fn report(setup: &WgpuSetup) -> DeviceReport {
        let info = setup.adapter.get_info();
        let api = if cfg!(target_family = "wasm") { "WebGPU".into() } else { format!("{:?}", setup.backend) };
        let name = if info.name.is_empty() { api } else { format!("{api}: {}", info.name) };
        let simulated = info.device_type == cubecl::wgpu::wgpu::DeviceType::Cpu;
        DeviceReport { kind: DeviceKind::Gpu, name, simulated }
    }
}

#[cfg(feature = "fused")]
pub use gpu::limits;
