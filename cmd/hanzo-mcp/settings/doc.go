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
// The package reads files and decides nothing about a call. It must never follow a link out of a project, wait for a
// pipe, print a secret, or put a default in the place of a value that it could not read.
package settings
