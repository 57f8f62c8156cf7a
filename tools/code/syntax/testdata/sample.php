<?php
namespace Acme\Shapes;

use Some\Thing;

const TOP = 1;
interface Shape extends Base { public function area(): float; }
trait Named { private string $label = 'x'; public function name(): string { return ''; } }
#[Attribute]
abstract class Square extends Model implements Shape, \JsonSerializable
{
    const MAX = 3;
    protected ?int $side = null;
    public function __construct(private int $width) {}
    abstract protected function draw(array $x = []): void;
    public static function create(): static { return new static(1); }
}
enum Color: string { case Red = 'r'; case Green = 'g'; public function label(): string { return ''; } }
function helper(int ...$n) { function inner() {} }
define('LIMIT', 3);

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    const Wild = self::Spades;
    #[Old] protected const int MANY = 2;

    public static function any(): self { return self::Wild; }
}
