export interface Shape extends Base<number>, Other {
  readonly name: string;
  area(scale?: number): number;
}
export type Id = string | number;
export enum Color { Red, Green = 'g' }
export abstract class Square<T> extends Base implements Shape, Named {
  private side = 1;
  static #count = 0;
  constructor(public readonly x: number) { super(); }
  get width(): number { return this.side; }
  protected abstract draw(): void;
  handler = (e: Event) => { return e; };
}
@Injectable()
export class Service {}
export const add = (a: number, b: number) => a + b;
const local = function () {};
export default function main(): void {
  function inner() {}
}
declare function ambient(x: string): void;
declare module 'pkg' { export function f(): void; }
namespace A.B { export const deep = 1; export function g() {} }
export const api = {
  get(id: Id) { return id; },
  post: async () => {},
  data: 3,
};
let $dollar = 1;
export default class extends Square { [Symbol.iterator]() {} ["quoted"]() {} }
const { a1, b1: { c1, d1: e1 = 2 }, ...f1 } = api, [g1, [h1]] = [];
