//! Devices that training runs on: Burn's flex on the processor, wgpu on a GPU.

use burn::tensor::Device as TensorDevice;

#[cfg(feature = "gpu")]
use crate::protocol::Failure;
use crate::protocol::{DeviceKind, DeviceReport};

/// A device that tensors can live on, with its name.
#[derive(Debug, Clone)]
pub struct Device {
    tensors: TensorDevice,
    report: DeviceReport,
    #[cfg(feature = "gpu")]
    handle: Option<burn::tensor::wgpu::wgpu::Device>,
}

impl Device {
    /// The processor.
    pub fn cpu() -> Self {
        let report = DeviceReport {
            kind: DeviceKind::Cpu,
            name: "CPU".into(),
            learner: "Burn autodiff on flex".into(),
            simulated: false,
        };
        Device {
            tensors: TensorDevice::flex(),
            report,
            #[cfg(feature = "gpu")]
            handle: None,
        }
    }

    /// The GPU that wgpu prefers, initialised once per thread and shared from then on.
    ///
    /// # Errors
    /// [`Failure::NoGpu`] with a sentence when there is none.
    #[cfg(feature = "gpu")]
    #[expect(clippy::await_holding_lock, reason = "a second caller must wait for the first initialisation")]
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

    #[cfg(feature = "gpu")]
    async fn open_gpu() -> Result<Self, Failure> {
        use burn::tensor::wgpu::wgpu::DeviceType;
        let opened = TensorDevice::wgpu_options().init_with_setup_async().await;
        let (tensors, setup) = opened.map_err(|e| Failure::NoGpu(format!("no GPU could be opened ({e})")))?;
        let info = setup.adapter.get_info();
        let api = if cfg!(target_family = "wasm") { "WebGPU".into() } else { format!("{:?}", setup.backend) };
        let name = if info.name.is_empty() { api } else { format!("{api}: {}", info.name) };
        let report = DeviceReport {
            kind: DeviceKind::Gpu,
            name,
            learner: "Burn autodiff on wgpu".into(),
            simulated: info.device_type == DeviceType::Cpu,
        };
        Ok(Device { tensors, report, handle: Some(setup.device) })
    }

    /// Where tensors are created.
    pub fn tensors(&self) -> &TensorDevice {
        &self.tensors
    }

    /// Kind, name and learner, for the person.
    pub fn report(&self) -> &DeviceReport {
        &self.report
    }

    /// Takes the GPU away, as a driver reset would; for tests of what happens then.
    #[cfg(feature = "gpu")]
    pub fn lose(&self) {
        if let Some(handle) = &self.handle {
            handle.destroy();
        }
    }
}
