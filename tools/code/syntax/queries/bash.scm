(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(redirected_statement body: (function_definition) @inner) @wrap
(list [(function_definition) (redirected_statement)] @part)
(pipeline [(function_definition) (redirected_statement)] @part)
([(function_definition) (redirected_statement)] @part . "&")
