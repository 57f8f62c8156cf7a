(class_specifier name: [(type_identifier) (template_type) (qualified_identifier)] @name body: (_)) @class
(struct_specifier name: [(template_type) (qualified_identifier)] @name body: (_)) @struct
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(function_definition declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))) @function
(function_definition declarator: [(operator_cast) (qualified_identifier name: (operator_cast))] @name) @function
(field_declaration_list (declaration declarator: (operator_cast) @name) @method)
(field_declaration declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @method
(field_declaration declarator: (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @method
(field_declaration_list (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @method)
(declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @prototype
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @super)
(template_declaration (_) @inner .) @wrap
(friend_declaration (_) @inner .) @wrap
(type_definition declarator: (reference_declarator (type_identifier) @name)) @type
(function_definition declarator: [(reference_declarator) (function_declarator declarator: (template_function))] @declarator) @function
(declaration declarator: [(reference_declarator) (init_declarator declarator: (reference_declarator))] @declarator) @variable
(field_declaration declarator: (reference_declarator) @declarator) @field
(template_declaration (declaration declarator: [(function_declarator declarator: (template_function)) (init_declarator declarator: (template_function))] @declarator) @variable)
(translation_unit (expression_statement [(assignment_expression) (call_expression) (subscript_expression)] @declarator) @variable)
(declaration_list (expression_statement [(assignment_expression) (call_expression) (subscript_expression)] @declarator) @variable)
