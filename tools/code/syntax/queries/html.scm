(element (start_tag (tag_name) @name)) @element
(script_element (start_tag (tag_name) @name)) @element
(style_element (start_tag (tag_name) @name)) @element
