(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(decorated_definition definition: (_) @inner) @wrap
(module) @binds
(class_definition body: (block) @binds)
(named_expression name: (identifier) @walrus)
(lambda) @lambda
(assignment left: [(attribute object: (identifier) @owner attribute: (identifier) @name) (pattern_list (attribute object: (identifier) @owner attribute: (identifier) @name)) (tuple_pattern (attribute object: (identifier) @owner attribute: (identifier) @name)) (list_pattern (attribute object: (identifier) @owner attribute: (identifier) @name))]) @field
(pattern_list (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(tuple_pattern (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(list_pattern (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(list_splat_pattern (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(as_pattern_target (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(for_statement left: (attribute object: (identifier) @owner attribute: (identifier) @name)) @field
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @type
(block) @empty
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @super))
((module (expression_statement (assignment left: (identifier) @_all right: [(list (string (string_content) @export)) (tuple (string (string_content) @export))])))
  (#eq? @_all "__all__"))
(module [(import_from_statement) (import_statement)] @takes)
(module (if_statement consequence: (block (import_from_statement) @takes)))
(module (try_statement body: (block (import_from_statement) @takes)))
(module (try_statement (except_clause (block (import_from_statement) @takes))))
