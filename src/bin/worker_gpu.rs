//! The GPU worker's binary: Burn on wgpu, fetched only when a GPU is to train.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    vivarium::platform::web::spawn(vivarium::worker_web::serve(vivarium::training::check::checked_gpu(&[vivarium::training::choose::Engine::Autodiff])));
}
