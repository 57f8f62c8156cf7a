; C, and what C++ shares with it.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @prototype
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @prototype
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @member
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
(field_declaration declarator: (field_identifier) @name) @field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @field
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name) @macro
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))) @field
(field_declaration declarator: (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))) @field
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @field
(declaration declarator: (identifier) @name) @variable
(declaration declarator: (pointer_declarator declarator: (identifier) @name)) @variable
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @variable
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))) @variable
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)))) @variable
(declaration declarator: (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))) @variable
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @variable
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @variable
(declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @variable
(declaration declarator: (array_declarator declarator: (identifier) @name)) @variable
(linkage_specification body: (_) @inner) @wrap
(type_definition type: (_ body: (_)) @part)
(declaration type: (_ body: (_)) @part declarator: (_))
(field_declaration type: (_ body: (_)) @part declarator: (_))
(function_definition type: (_ body: (_)) @part)
(type_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))) @type
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (type_identifier) @name))) @type
(type_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))) @type
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @prototype
(function_definition declarator: [(function_declarator declarator: (parenthesized_declarator)) (array_declarator) (pointer_declarator)] @declarator) @function
(declaration declarator: [
  (function_declarator declarator: (parenthesized_declarator)) (array_declarator) (pointer_declarator)
  (init_declarator declarator: [(function_declarator) (array_declarator) (pointer_declarator)])] @declarator) @variable
(field_declaration declarator: [(function_declarator declarator: (parenthesized_declarator)) (array_declarator) (pointer_declarator)] @declarator) @field
(type_definition declarator: [(function_declarator) (array_declarator) (pointer_declarator)] @declarator) @type
