(pair key: (string) @name) @key
