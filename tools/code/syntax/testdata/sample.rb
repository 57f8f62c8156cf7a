module Geo
  MAX = 3
  class Square < Base::Shape
    attr_accessor :side, :name
    def initialize(side)
      @side = side
    end
    def area = side * side
    def self.create(*args) = new(*args)
    def empty?; false; end
    def ==(other) = true
    alias size area
    class << self
      def build; end
    end
  end
end
def top(x, y = 1)
end
class Geo::Other; end
class Made
  define_method(:built) { |x| x }
  alias_method :other, :built
end

ONE = TWO = 3
RED, *REST = 1, 2
