pub use wasmtime;
