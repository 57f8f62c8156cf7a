// Package settings reads what the user wrote down (HIP-0301 §4) and says of each value where it came from.
//
// Later tiers override earlier ones, lists add up:
//
//	${XDG_CONFIG_HOME:-~/.config}/hanzo/settings.json < <project>/.hanzo/settings.json <
//	<project>/.hanzo/settings.local.json < environment < flags
//
// Files are JSON with comments, trailing commas and a byte order mark allowed. A file that cannot be read or understood is
// never skipped: Lockdown then gives the error with which every call it could have governed is refused. A checkout may be
// hostile, so from a project that the user file does not trust only what narrows is taken: deny rules, read_only:true,
// allowed_paths inside the project, network:false, tools.deny; api_key, oauth_credentials, door.origins, ui.registries and
// trusted_projects count in the user file alone. Permission rules of the tiers are not merged but judged apart.
//
// # Keys
//
//	key                              between tiers          from an untrusted project   from a trusted one
//	api_key, oauth_credentials       user file only         no                          no
//	door.origins, ui.registries      user file only         no                          no
//	trusted_projects                 user file only         no                          no
//	permissions                      judged apart           deny rules                  yes
//	sandbox.allowed_paths            add up                 those inside: nothing else  yes
//	sandbox.network, read_only       replaced               only false; only true       yes
//	tools.deny                       add up                 yes                         yes
//	hooks                            add up                 no                          yes
//	sandbox.mode, sandbox.confine    replaced               no                          yes
//	sandbox.writable, hidden,        add up, "!x" takes     no                          yes
//	protect                          x back
//	tools.allow                      replaced               no                          yes
//	env.*, fetch.allow_private       add up                 no                          yes
//	lsp                              replaced by name       no                          yes
//	mcp_servers                      members by name        no                          yes
//	model, custom_instructions,      replaced; for other    no                          yes
//	input_mode                       Hanzo programs
//
// A key that is null counts as absent, an unknown one is a warning, and one that stands twice, or has a value of the wrong
// type, makes its file unusable.
//
// The package reads files and decides nothing about a call. It must never follow a link out of a project, wait for a
// pipe, print a secret, or put a default in the place of a value that it could not read.
package settings
