(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @member
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(property_declaration (property_element (variable_name) @name)) @field
(property_promotion_parameter name: (variable_name) @name) @field
(const_declaration (const_element (name) @name)) @constant
(namespace_definition name: (namespace_name) @name) @module
(class_declaration (base_clause [(name) (qualified_name)] @super))
(interface_declaration (base_clause [(name) (qualified_name)] @super))
(class_declaration (class_interface_clause [(name) (qualified_name)] @super))
(enum_declaration (class_interface_clause [(name) (qualified_name)] @super))
(class_declaration body: (declaration_list (use_declaration [(name) (qualified_name)] @super)))
(trait_declaration body: (declaration_list (use_declaration [(name) (qualified_name)] @super)))
(enum_declaration body: (enum_declaration_list (use_declaration [(name) (qualified_name)] @super)))
((expression_statement (function_call_expression function: (name) @_f arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))) @constant
  (#eq? @_f "define"))
