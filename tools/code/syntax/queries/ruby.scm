(class name: [(constant) (scope_resolution)] @name) @class
(module name: [(constant) (scope_resolution)] @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @method
(alias name: (_) @name) @method
(assignment left: (constant) @name) @constant
(assignment left: (left_assignment_list [(constant) @name (rest_assignment (constant) @name) (destructured_left_assignment (constant) @name)])) @constant
((call method: (identifier) @_m arguments: (argument_list (simple_symbol) @name @field))
  (#any-of? @_m "attr_accessor" "attr_reader" "attr_writer"))
(class superclass: (superclass (_) @super))
((body_statement (call !receiver method: (identifier) @_m arguments: (argument_list [(constant) (scope_resolution)] @super)))
  (#any-of? @_m "include" "extend" "prepend"))
((call method: (identifier) @_m arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])) @method
  (#any-of? @_m "define_method" "alias_method"))
(call arguments: (argument_list . [(method) (singleton_method) (call)] @inner .)) @wrap
(argument_list [(method) (singleton_method) (assignment) (call)] @part)
(if_modifier body: (_) @part)
(unless_modifier body: (_) @part)
(while_modifier body: (_) @part)
(until_modifier body: (_) @part)
(rescue_modifier body: (_) @part)
(binary (_) @part)
(assignment right: (_) @part)
(call receiver: (_) @part)
(parenthesized_statements (_) @part)
((body_statement (identifier) @visibility)
  (#any-of? @visibility "private" "protected" "public" "module_function"))
((call !receiver method: (identifier) @visibility)
  (#any-of? @visibility "private" "protected" "public" "private_class_method" "private_constant"))
