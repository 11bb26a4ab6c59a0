//! Tells the linker what Node's addons need.

fn main() {
    napi_build::setup();
}
