; Go, for files that go/parser refuses.
(function_declaration name: (identifier) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (pointer_type (type_identifier) @scope)
    (generic_type type: (type_identifier) @scope)
    (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(interface_type (method_elem name: (field_identifier) @name) @method)
(field_declaration name: (field_identifier) @name) @field
(type_declaration (type_spec) @inner) @wrap
(const_declaration (const_spec) @inner) @wrap
(var_declaration (var_spec) @inner) @wrap
(type_declaration (type_alias) @inner) @wrap
(struct_type (field_declaration_list (field_declaration !name type: (_) @super)))
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @super .))
