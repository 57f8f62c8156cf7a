(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(decorated_definition definition: (_) @inner) @wrap
(module (expression_statement (assignment left: (identifier) @name) @variable))
(module (expression_statement (assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name) (list_pattern (identifier) @name)]) @variable))
(module (expression_statement (assignment left: (identifier) right: (assignment left: (identifier) @name)) @variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @field)))
(class_definition body: (block (expression_statement (assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)]) @field)))
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @type
(block) @empty
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @super))
((module (expression_statement (assignment left: (identifier) @_all right: [(list (string (string_content) @export)) (tuple (string (string_content) @export))])))
  (#eq? @_all "__all__"))
