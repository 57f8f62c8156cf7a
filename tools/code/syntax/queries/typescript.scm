(function_signature name: (identifier) @name) @function
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body name: [(property_identifier) (string)] @name @member)
(enum_body (enum_assignment name: [(property_identifier) (string)] @name) @member)
(method_signature name: [(property_identifier) (private_property_identifier) (string) (number) (computed_property_name [(member_expression) (identifier) (string)])] @name) @method
(abstract_method_signature name: [(property_identifier) (private_property_identifier) (string) (number) (computed_property_name [(member_expression) (identifier) (string)])] @name) @method
(public_field_definition name: [(property_identifier) (private_property_identifier) (computed_property_name [(member_expression) (identifier) (string)])] @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: [(property_identifier) (private_property_identifier) (computed_property_name [(member_expression) (identifier) (string)])] @name) @field
(required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @field
(optional_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @field
(type_alias_declaration value: (object_type (property_signature name: [(property_identifier) (string)] @name) @field))
(interface_body (property_signature name: [(property_identifier) (string)] @name) @field)
(internal_module name: [(identifier) (nested_identifier)] @name) @module
(module name: [(identifier) (nested_identifier) (string)] @name) @module
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(internal_module body: (statement_block [(lexical_declaration (variable_declarator name: (identifier) @name) @variable) (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable))]))
(module body: (statement_block [(lexical_declaration (variable_declarator name: (identifier) @name) @variable) (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable))]))
(extends_clause value: (_) @super)
(implements_clause [(type_identifier) (generic_type) (nested_type_identifier)] @super)
(extends_type_clause type: [(type_identifier) (generic_type) (nested_type_identifier)] @super)
(export_statement "=" (identifier) @export)
(ambient_declaration (_) @inner) @wrap
(expression_statement (internal_module) @inner) @wrap
(variable_declarator value: [(as_expression) (satisfies_expression)] @keyed)
(assignment_expression right: [(as_expression) (satisfies_expression)] @keyed)
(export_statement value: [(as_expression) (satisfies_expression)] @made)
(program (lexical_declaration (variable_declarator value: [(as_expression) (satisfies_expression)] @made)))
(program (export_statement (lexical_declaration (variable_declarator value: [(as_expression) (satisfies_expression)] @made))))
(ERROR "default" @name "function" (formal_parameters)) @function
