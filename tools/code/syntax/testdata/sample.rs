use std::fmt;
pub const MAX: usize = 3;
static mut COUNT: u32 = 0;
/// A shape.
#[derive(Debug)]
pub struct Square<T> { pub side: T, name: String }
pub(crate) enum Kind { One, Two(i32), Three { x: i32 } }
pub trait Shape: fmt::Debug { type Out; fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }
impl<T> Shape for Square<T> {
    type Out = T;
    fn area(&self) -> f64 { 1.0 }
}
impl<T> Square<T> {
    pub fn new(side: T) -> Self where T: Clone { todo!() }
}
mod inner { pub fn deep() {} }
macro_rules! hello { () => {} }
type Alias = Square<i32>;
union U { a: u32, b: f32 }
fn main() { fn local() {} }
fn r#match() {}
