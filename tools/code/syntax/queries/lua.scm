(function_declaration name: [(identifier) (dot_index_expression) (method_index_expression)] @name) @function
(variable_declaration (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition)))) @function
(assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name) (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @variable)
(chunk (assignment_statement (variable_list . name: (identifier) @name)) @variable)
(chunk (assignment_statement (variable_list . name: (identifier) name: (identifier) @name)) @variable)
