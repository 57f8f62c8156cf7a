(field_definition property: [(property_identifier) (private_property_identifier) (computed_property_name [(member_expression) (identifier) (string)])] @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: [(property_identifier) (private_property_identifier) (computed_property_name [(member_expression) (identifier) (string)])] @name) @field
(class_heritage [(identifier) (member_expression)] @super)
