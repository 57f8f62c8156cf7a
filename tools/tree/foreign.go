package tree

// foreign are names of folders that hold what others wrote or a build made, ignored by git or not.
var foreign = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, ".venv": true, "venv": true, "__pycache__": true, ".tox": true, ".nox": true,
	".mypy_cache": true, ".pytest_cache": true, ".gradle": true, ".terraform": true, "site-packages": true, ".next": true, ".nuxt": true,
}

// Foreign reports whether folders of a name hold what others wrote or a build made.
func Foreign(name string) bool { return foreign[name] }
