'use strict';
const fs = require('fs');
class Animal extends Base.Kind {
  #name = 1;
  static create() { return new Animal(); }
  *items() {}
  speak = () => {};
}
function* gen() {}
const f = async x => x;
exports.helper = function () {};
module.exports = { run: () => 1, stop() {} };
Animal.prototype.eat = function (food) { return food; };
export { f };
export default { name: "x", data() {}, [Symbol.toStringTag]: function () {} };
