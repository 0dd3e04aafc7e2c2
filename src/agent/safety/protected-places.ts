/**
 * The one list of places that instruct agents or start programs. Edits there ask every time, whatever was allowed.
 *
 * What belongs here: what takes effect without a further decision of the person, because an agent reads it, an editor or
 * a shell loads it when a folder is opened or entered, a package manager at each install, git at each commit or
 * checkout, or a service at each push. What does not: build files and tests (Makefile, build.gradle, vite.config.ts).
 * They start nothing: a command runs them, and that command asks.
 */

import { plainPath } from './plain-path.ts';

/** Why a file is protected from writing without a question, in words, or undefined. `relative` is from its folder. */
export function protectedKind(relative: string): string | undefined {
  const path = plainPath(relative);
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  return (
    BY_NAME.get(name) ??
    segments.map((segment) => BY_FOLDER.get(segment)).find((why) => why !== undefined) ??
    BY_PATTERN.find(([pattern]) => pattern.test(path))?.[1]
  );
}

/** What *session* and *always* store for edits. The words name what the rule does not cover. */
export const EDIT_RULE: { readonly key: string; readonly words: string } = {
  key: 'write',
  words:
    'edits of files in this workspace, but not of files that instruct agents or start programs (AGENTS.md, skills, hooks, MCP servers, .git, .vscode, CI, package scripts and the like) and not of files with secrets',
};

const INSTRUCTS = 'It tells agents what to do.';
const AGENTS = 'It configures agents.';
const STARTS = 'It starts programs for agents.';
const EDITOR = 'It configures the editor and can start programs.';
const CONTAINER = 'It configures where the editor runs and can start programs.';
const GIT = 'It belongs to git itself; hooks and settings there can start programs.';
const COMMIT = 'It starts programs when git commits, checks out or pushes.';
const SERVICE = 'A service runs what it says, with keys of its own, as soon as it is pushed.';
const INSTALL = 'It says where packages come from, or runs when packages are installed.';
const SHELL = 'It runs when a shell or another program starts in the folder.';
const LOADED = 'Programs load and run it without being told to.';
const SAVED = 'Extensions of the editor run it as soon as it is saved.';

/** Folders, anywhere in the path, with all that is in them. */
const BY_FOLDER = named([
  [
    AGENTS,
    `.midcourse .claude .codex .cursor .clinerules .cline .hermes .agents .agent .windsurf .roo .kiro .continue .gemini
     .copilot .amazonq .augment .junie .qwen .opencode .crush .goose .aider .trae .factory .devin .openhands .kilocode
     .tabnine .cody .sourcegraph .pearai .rules .plandex .amp .warp .firebender .mcp .claude-plugin .codex-plugin
     .cursor-plugin .copilot-plugin .hermes-plugin .midcourse-plugin`,
  ],
  [EDITOR, '.vscode .vs .idea .fleet .zed .theia .nova .settings'],
  [CONTAINER, '.devcontainer devcontainer .idx .codesandbox'],
  [GIT, '.git'],
  [COMMIT, '.husky .lefthook .githooks .git-hooks githooks git-hooks .overcommit'],
  [
    SERVICE,
    `.gitlab .circleci .buildkite .azure-pipelines .azuredevops .teamcity .woodpecker .semaphore .builds .tekton .drone
     .ci .harness`,
  ],
  [INSTALL, '.bundle .cargo .mvn .gradle init.d'],
  [SHELL, '.direnv .mise'],
  [LOADED, '.ipython .jupyter'],
]);

/** Files by their whole name, anywhere. */
const BY_NAME = named([
  [
    INSTRUCTS,
    `skill.md copilot-instructions.md .cursorrules .clinerules .windsurfrules .roomodes .kilocodemodes .goosehints .rules
     .augment-guidelines`,
  ],
  [
    STARTS,
    `.mcp.json mcp.json .mcp.jsonc mcp.jsonc mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json
     .lsp.json lsp.json hooks.json .hooks.json plugin.json opencode.json opencode.jsonc crush.json`,
  ],
  [EDITOR, '.exrc .vimrc _vimrc .nvimrc .nvim.lua .dir-locals.el .dir-locals-2.el .ycm_extra_conf.py'],
  [CONTAINER, '.devcontainer.json devcontainer.json .gitpod.yml .gitpod.yaml .replit replit.nix .stackblitzrc'],
  // The last of the three names that make a folder a repository of its own, whose settings git then follows.
  [GIT, '.gitmodules .gitattributes .gitconfig head'],
  [
    COMMIT,
    `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
     pre-rebase post-checkout post-merge pre-push pre-receive post-receive post-update proc-receive
     reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
     post-index-change .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml
     captainhook.json grumphp.yml grumphp.yaml grumphp.yml.dist`,
  ],
  [
    SERVICE,
    `action.yml action.yaml .travis.yml .travis.yaml bitbucket-pipelines.yml appveyor.yml .appveyor.yml .drone.yml
     .drone.yaml .drone.star .drone.jsonnet .woodpecker.yml .woodpecker.yaml codemagic.yaml bitrise.yml wercker.yml
     .cirrus.yml .cirrus.star cloudbuild.yaml cloudbuild.yml cloudbuild.json .build.yml screwdriver.yaml
     .scrutinizer.yml circle.yml buildkite.yml netlify.toml vercel.json render.yaml fly.toml procfile`,
  ],
  [
    INSTALL,
    `.npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .pnpmfile.cjs .pnpmfile.mjs .pnpmfile.js pnpmfile.cjs pnpmfile.js
     pnpm-workspace.yaml bunfig.toml .bunfig.toml .pnp.cjs .pnp.js .pnp.mjs .pnp.loader.mjs .pypirc pip.conf pip.ini
     uv.toml poetry.toml .condarc nuget.config .gemrc .bowerrc .terraformrc terraform.rc init.gradle init.gradle.kts
     rust-toolchain rust-toolchain.toml build.rs gradlew gradlew.bat mvnw mvnw.cmd`,
  ],
  [
    SHELL,
    `.envrc .direnvrc .autoenv .autoenv.zsh .tool-versions .rvmrc .asdfrc devbox.json .bashrc .bash_profile .bash_login
     .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc
     .xprofile .xinitrc .xsessionrc .screenrc .tmux.conf .irbrc .pryrc .gdbinit .lldbinit .rprofile .renviron .psqlrc
     .sqliterc .perldb .pythonrc .pythonrc.py .wgetrc .curlrc profile.ps1`,
  ],
  [LOADED, 'conftest.py sitecustomize.py usercustomize.py pyvenv.cfg autorun.inf'],
]);

/** In lower case, with `/`. */
const BY_PATTERN: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)(agents?|claude|gemini|soul|qwen|crush|warp)(\.[\w-]+)?\.md$/, INSTRUCTS],
  [/\.(agent|prompt|instructions|chatmode|toolset)s?\.(md|jsonc?)$|\.mdc$|(^|\/)\.roorules[\w-]*$/, INSTRUCTS],
  [/(^|\/)\.aider[\w.-]*$/, AGENTS],
  [/(^|\/)\.github\/(agents|skills|prompts|instructions|chatmodes|copilot[^/]*)(\/|$)/, INSTRUCTS],
  [/(^|\/)\.github\/(hooks|extensions|plugins?|lsp\.json|mcp\.json)(\/|$)/, STARTS],
  [/\.(code-workspace|sublime-project|code-profile)$/, EDITOR],
  [/(^|\/)\.gitconfig[\w.-]*$/, GIT],
  [/(^|\/)hooks\/update$/, COMMIT],
  [
    /(^|\/)\.?(lefthook(-local)?|simple-git-hooks|lint-staged(\.config)?|lintstagedrc|huskyrc|husky\.config)(\.\w+)?$/,
    COMMIT,
  ],
  [/(^|\/)(\.github|\.gitea|\.forgejo)\/(workflows|actions)(\/|$)/, SERVICE],
  [/gitlab-ci[^/]*\.ya?ml$|azure-pipelines?[^/]*\.ya?ml$|(^|\/)buildspec[^/]*\.ya?ml$/, SERVICE],
  [/(^|\/)jenkinsfile([.-][^/]*)?$|\.jenkinsfile$/, SERVICE],
  [/(^|\/)(\.yarn\/(plugins|releases|sdks)|gradle\/wrapper)\//, INSTALL],
  [/(^|\/)\.?(mise|rtx)(\.[\w-]+)?\.toml$|(^|\/)\.config\/(mise|direnv|fish|nvim|git)\//, SHELL],
  [/_profile\.ps1$/, SHELL],
  [/\.(pth|desktop|lnk|scf)$/, LOADED],
  [/(^|\/)\.?(eslintrc|prettierrc|stylelintrc|eslint\.config|prettier\.config|stylelint\.config)(\.\w+)?$/, SAVED],
];

function named(rows: readonly (readonly [why: string, names: string])[]): ReadonlyMap<string, string> {
  return new Map(rows.flatMap(([why, names]) => names.split(/\s+/).map((name) => [name, why] as const)));
}
