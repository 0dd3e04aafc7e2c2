/** Folders that hold the work of others, or what programs made: whatever lies there instructs nobody. */

/** The first such folder of a path from the workspace folder, with either slash; undefined when there is none. */
export function foreignFolder(path: string): string | undefined {
  const folders = path.split(/[\\/]/).slice(0, -1);
  return folders.find((folder) => NAMES.has(folder.toLowerCase()) || BACKUP.test(folder));
}

const NAMES: ReadonlySet<string> = new Set(
  `node_modules bower_components jspm_packages vendor vendored third_party third-party thirdparty site-packages
   dist-packages .venv venv .virtualenv .tox .nox .eggs __pycache__ dist build out target bin obj .next .nuxt
   .svelte-kit .output .cache .parcel-cache .turbo .gradle .yarn .pnpm-store .pnp pods carthage deriveddata .terraform
   coverage .git .hg .svn .trash .bundle deps _build elm-stuff .dart_tool .stack-work`.split(/\s+/),
);

const BACKUP = /^(backups?|bak|old_backups?)([-_.].*)?$|\.(bak|backup|orig|old)$|~$/i;
