package com.example;

import java.util.List;

/** A shape. */
public abstract class Square<T> extends Base<T> implements Shape, Comparable<Square> {
    public static final int MAX = 3;
    private int side, other;
    public Square(int side) { this.side = side; }
    @Override
    public int area() { return side; }
    protected abstract <R> List<R> map(Function<T, R> f) throws IOException;
    enum Color { RED, GREEN { void x() {} } }
    interface Inner extends Shape { int K = 1; void run(); }
    record Point(int x, int y) { Point { } }
    @interface Mark { String value(); }
}
