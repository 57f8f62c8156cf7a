(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(function_declaration name: (identifier) @name) @function
(property_declaration (variable_declaration (identifier) @name)) @variable
(class_parameter ["val" "var"] (identifier) @name) @field
(enum_entry (identifier) @name) @member
(type_alias type: (identifier) @name) @type
(class_declaration (delegation_specifiers (delegation_specifier [(user_type) (constructor_invocation)] @super)))
(object_declaration (delegation_specifiers (delegation_specifier [(user_type) (constructor_invocation)] @super)))
(companion_object name: (_) (delegation_specifiers (delegation_specifier [(user_type) (constructor_invocation)] @super)))
(class_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (_) @super))))
(object_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (_) @super))))
