package com.example

interface Shape : Base { fun area(): Double }
data class Square(val side: Int, private var name: String = "x") : Base(side), Shape {
    val width: Int = 1
    override fun area(): Double = 1.0
    companion object Factory {
        const val MAX = 3
        fun create(): Square = Square(1)
    }
}
object Single {
    fun run() {}
}
enum class Color {
    RED, GREEN;
    fun next() = RED
}
sealed class Result<out T>
typealias Id = Int
private fun <T> List<T>.second(): T = this[1]
val top by lazy { 1 }
