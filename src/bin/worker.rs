//! The CPU worker's binary: Burn's flex with SIMD, small and there at once.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    wasm_bindgen_futures::spawn_local(vivarium::worker_web::serve(async {
        Ok(vivarium::training::device::Device::cpu())
    }));
}
