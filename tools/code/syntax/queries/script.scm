; JavaScript and TypeScript.
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier) (string) (number) (computed_property_name [(member_expression) (identifier) (string)])] @name) @method
(export_statement "default" @name value: [(function_expression) (generator_function) (arrow_function)]) @function
(export_statement "default" @name value: (class)) @class
(export_statement "default" @name value: [(object) (array) (call_expression) (new_expression)]) @variable
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: (member_expression) @name right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (member_expression) @name right: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(program [
  (lexical_declaration (variable_declarator name: [(object_pattern) (array_pattern)] @pattern)) @variable
  (variable_declaration (variable_declarator name: [(object_pattern) (array_pattern)] @pattern)) @variable
  (export_statement (lexical_declaration (variable_declarator name: [(object_pattern) (array_pattern)] @pattern)) @variable)
  (export_statement (variable_declaration (variable_declarator name: [(object_pattern) (array_pattern)] @pattern)) @variable)])
(object (pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression) (generator_function)]) @method)
(variable_declarator value: [(object) (parenthesized_expression (object))] @keyed)
(assignment_expression right: [(object) (parenthesized_expression (object))] @keyed)
(export_statement value: [(object) (call_expression) (new_expression) (parenthesized_expression)] @made)
(program (lexical_declaration (variable_declarator value: [(object) (call_expression) (new_expression) (await_expression)] @made)))
(program (variable_declaration (variable_declarator value: [(object) (call_expression) (new_expression) (await_expression)] @made)))
(program (export_statement (lexical_declaration (variable_declarator value: [(object) (call_expression) (new_expression) (await_expression)] @made))))
(program (export_statement (variable_declaration (variable_declarator value: [(object) (call_expression) (new_expression) (await_expression)] @made))))
(program (expression_statement (assignment_expression right: [(object) (call_expression) (new_expression) (await_expression)] @made)))
(variable_declarator name: (identifier) @name value: (call_expression
  function: [(identifier) (member_expression property: (property_identifier))] @_hook arguments: (arguments . [(arrow_function) (function_expression)]))
  (#match? @_hook "^(React\\.)?useCallback$")) @function
(arguments (function_expression name: (identifier) @name) @function)
(arguments (generator_function name: (identifier) @name) @function)
(export_statement declaration: (_) @inner) @wrap
(lexical_declaration (variable_declarator) @inner) @wrap
(variable_declaration (variable_declarator) @inner) @wrap
(export_specifier name: (identifier) @export)
(export_statement value: (identifier) @export)
(export_statement (export_clause (export_specifier) @passed)) @statement
(export_statement (namespace_export (_) @passed)) @statement
(class name: (_)) @part
(arguments (function_expression name: (_)) @part)
(arguments (generator_function name: (_)) @part)
(assignment_expression right: (assignment_expression) @part)
(variable_declarator value: (assignment_expression) @part)
(parenthesized_expression (assignment_expression) @part)
(arguments (assignment_expression) @part)
(return_statement (assignment_expression) @part)
(arrow_function body: (assignment_expression) @part)
