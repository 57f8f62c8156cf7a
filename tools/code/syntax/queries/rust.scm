(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @member
(field_declaration name: (field_identifier) @name) @field
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(mod_item name: (identifier) @name) @module
(macro_definition name: (identifier) @name) @macro
(impl_item type: (_) @name) @impl
(impl_item trait: (_) @super)
(trait_item bounds: (trait_bounds [(type_identifier) (generic_type) (scoped_type_identifier)] @super))
(source_file (use_declaration (visibility_modifier) @_pub) @takes
  (#eq? @_pub "pub"))
