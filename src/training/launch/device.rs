//! Devices that training runs on: the processor, wgpu on a GPU, natively CUDA too.

#[cfg(feature = "fused")]
use vivarium_kernels::client::client;
#[cfg(feature = "session")]
use vivarium_kernels::core_peak::core_flops;
#[cfg(feature = "fused")]
use vivarium_kernels::peak;
#[cfg(feature = "session")]
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::DeviceInfo;
#[cfg(any(feature = "session", test))]
use vivarium_model::protocol::DeviceKind;
#[cfg(feature = "session")]
use vivarium_model::protocol::{PeakPerformance, RunError};

/// Workgroups that keep every part of a GPU busy.
#[cfg(feature = "fused")]
const MANY_WORKGROUPS: u32 = 4096;

/// A device that can train, with its name.
#[derive(Debug, Clone)]
pub struct Device {
    report: DeviceInfo,
    #[cfg(feature = "train")]
    tensors: burn::tensor::Device,
    #[cfg(feature = "fused")]
    setup: Option<cubecl::wgpu::WgpuSetup>,
}

impl Device {
    /// The processor; where Burn is left out, for what our own loops train.
    #[cfg(any(feature = "session", test))]
    pub fn cpu() -> Self {
        let report = DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
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
    pub fn report(&self) -> &DeviceInfo {
        &self.report
    }

    /// What it computes at most, measured in about a second.
    ///
    /// # Errors
    /// When it stops working.
    #[cfg(feature = "session")]
    #[cfg_attr(not(feature = "fused"), expect(clippy::unused_async, reason = "only a GPU is waited for"))]
    pub async fn peaks(&self) -> Result<PeakPerformance, RunError> {
        #[cfg(feature = "fused")]
        if self.report.kind == DeviceKind::Gpu {
            let client = client();
            return Ok(PeakPerformance {
                flops: peak::flops(&client, MANY_WORKGROUPS, now_ms).await?,
                workgroup_flops: Some(peak::flops(&client, 1, now_ms).await?),
                launch_ms: Some(peak::launch_ms(&client, now_ms).await?),
            });
        }
        Ok(PeakPerformance { flops: core_flops(now_ms), workgroup_flops: None, launch_ms: None })
    }
}

#[cfg(feature = "fused")]
mod gpu {
    #[cfg(not(feature = "train"))]
    use cubecl::wgpu::WgpuDevice;
    use cubecl::wgpu::WgpuSetup;

    use super::{Device, DeviceInfo, DeviceKind};
    #[cfg(feature = "cuda")]
    use vivarium_kernels::client::{client, cuda};
    use vivarium_model::protocol::RunError;

    #[cfg(feature = "cuda")]
    fn open_cuda() -> Device {
        let name = format!("CUDA: {}", client().properties().identity.name);
        let report = DeviceInfo { kind: DeviceKind::Gpu, name, simulated: false };
        Device { report, tensors: burn::tensor::Device::cuda(0), setup: None }
    }

    impl Device {
        /// The GPU that wgpu prefers, initialised once per thread and shared from then on.
        ///
        /// # Errors
        /// [`RunError::NoGpu`] with a sentence when there is none.
        #[expect(clippy::await_holding_lock, reason = "a second caller must wait for the first")]
        pub async fn gpu() -> Result<Self, RunError> {
            // cubecl allows one initialisation per process, so the first answer is kept for everybody, and the
            // lock is held until it is there.
            static OPENED: std::sync::Mutex<Option<Result<Device, RunError>>> = std::sync::Mutex::new(None);
            let mut opened = OPENED.lock().map_err(|e| RunError::Internal(e.to_string()))?;
            if opened.is_none() {
                *opened = Some(Device::open_gpu().await);
            }
            opened.clone().unwrap_or_else(|| Err(RunError::NoGpu("no GPU was asked for".into())))
        }

        #[cfg(feature = "train")]
        async fn open_gpu() -> Result<Self, RunError> {
            #[cfg(feature = "cuda")]
            if cuda::is_there() {
                return Ok(open_cuda());
            }
            let opened = burn::tensor::Device::wgpu_options().init_with_setup_async().await;
            let (tensors, setup) = opened.map_err(refused)?;
            Ok(Device { report: report(&setup), tensors, setup: Some(setup) })
        }

        #[cfg(not(feature = "train"))]
        async fn open_gpu() -> Result<Self, RunError> {
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

    fn refused(error: impl std::fmt::Display) -> RunError {
        RunError::NoGpu(format!("no GPU could be opened ({error})"))
    }

    fn report(setup: &WgpuSetup) -> DeviceInfo {
        let info = setup.adapter.get_info();
        let api = if cfg!(target_family = "wasm") { "WebGPU".into() } else { format!("{:?}", setup.backend) };
        let name = if info.name.is_empty() { api } else { format!("{api}: {}", info.name) };
        let simulated = info.device_type == cubecl::wgpu::wgpu::DeviceType::Cpu;
        DeviceInfo { kind: DeviceKind::Gpu, name, simulated }
    }
}

/// The GPU; without one the running test is recorded as skipped.
#[cfg(all(test, feature = "fused", not(target_family = "wasm")))]
pub(crate) fn gpu_or_skip() -> Option<Device> {
    match pollster::block_on(Device::gpu()) {
        Ok(gpu) => Some(gpu),
        Err(RunError::NoGpu(why)) => {
            vivarium_core::testing::skip_without_gpu(module_path!(), &why);
            None
        }
        Err(other) => panic!("{other}"),
    }
}
