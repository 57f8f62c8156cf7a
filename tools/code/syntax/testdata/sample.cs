using System;
namespace Acme.Shapes
{
    public interface IShape : IDisposable { double Area { get; } void Draw(int x); }
    [Serializable]
    public sealed class Square<T> : Base, IShape where T : class
    {
        private readonly int side = 1;
        public const int Max = 3;
        public event EventHandler Changed;
        public Square(int side) { this.side = side; }
        ~Square() { }
        public double Area => side * side;
        public async Task<int> Run(string name) { int Local() => 1; return Local(); }
        public enum Color { Red, Green }
        public delegate void Done(int x);
    }
    public record Point(int X, int Y);
    struct Pair { public int a; }
}
class Indexed { public int this[int i] { get { return i; } } public static Indexed operator +(Indexed a, Indexed b) { return a; } }
