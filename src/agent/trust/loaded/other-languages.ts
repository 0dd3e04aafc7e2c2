import { dirname, join, resolve } from 'node:path';
import type { Finder, Language, Looking, Source, Unchecked, Use } from './types.ts';

/** How a language loads, in patterns whose first group is the name: beside the script, from its folder, or a module. */
interface Words {
  /** Paths relative to the script. */
  readonly beside: readonly RegExp[];
  /** Paths relative to the folder that it runs in; beside the script as well. */
  readonly path: readonly RegExp[];
  /** Modules of the language, or of a package. */
  readonly module: readonly RegExp[];
  readonly computed: readonly RegExp[];
  /** It starts programs. */
  readonly programs: RegExp;
  /** Modules that come with the language. */
  readonly standard: RegExp;
  /** Files that the module may be, below the folders of modules. */
  files(module: string): readonly string[];
  readonly endings: readonly string[];
}

const languages: Readonly<Partial<Record<Language, Words>>> = {
  ruby: {
    beside: [/\brequire_relative[ (]+["']([^"'#\n]+)["']/g, /\bFile\.(?:expand_path|join)\(["']([^"'#\n]+)["'],? *__/g],
    path: [
      /\b(?:load|autoload[^\n,]{0,80},|require)[ (]+["'](\.{0,2}\/[^"'#\n]+)["']/g,
      /\bload[ (]+["']([^"'#\n]+)["']/g,
    ],
    module: [/\brequire[ (]+["']([^"'#./\n][^"'#\n]*)["']/g],
    computed: [
      /\b(?:require|require_relative|load)[ (]+(?!["'])[A-Za-z_$@(][^\n]{0,80}/g,
      /\b(?:instance_|class_|module_)?eval\b[^\n]{0,80}/g,
      /["'][^"'\n]*#\{[^\n]{0,80}\.rb/g,
    ],
    programs: /`|%x|\b(?:system|exec|spawn)\b|\bOpen3\b|\bIO\.popen\b|\bProcess\./,
    standard:
      /^(?:abbrev|base64|benchmark|bigdecimal|bundler\/inline|cgi|coverage|csv|date|delegate|digest|drb|English|erb|etc|fcntl|fiddle|fileutils|find|forwardable|getoptlong|io|ipaddr|json|logger|matrix|monitor|net|observer|objspace|open-uri|open3|openssl|optparse|ostruct|pathname|pp|prettyprint|prime|pstore|psych|pty|rbconfig|readline|resolv|ripper|securerandom|set|shellwords|singleton|socket|stringio|strscan|syslog|tempfile|time|timeout|tmpdir|tsort|un|uri|weakref|yaml|zlib)(?:\/|$)/,
    files: (module) => [`${module}.rb`],
    endings: ['', '.rb'],
  },
  perl: {
    beside: [/\$FindBin::(?:Real)?Bin\/([^"'\n;)]+)/g, /\$RealBin\/([^"'\n;)]+)/g],
    path: [/\b(?:require|do)[ (]+["']([^"'$@\n]+)["']/g],
    module: [/^\s*(?:use|require|no) ([A-Z]\w*(?:::\w+)*)/gm],
    computed: [
      /\b(?:require|do) +"?\$(?!FindBin::|RealBin\/)[^\n]{0,80}/g,
      /\b(?:require|do) +"[^"$\n]{1,80}\$[^\n]{0,80}/g,
      /\beval +["'$][^\n]{0,80}/g,
      /\buse lib\b[^\n]{0,80}/g,
    ],
    programs: /`|\bqx\b|\b(?:system|exec|fork)\b|\bIPC::|\bopen\b[^\n;]{0,80}["'](?:-\||\|-)/,
    standard:
      /^(?:AutoLoader|B|Benchmark|Carp|Class|Compress|Config|CPAN|Cwd|Data|DB_File|Digest|DirHandle|Encode|English|Env|Errno|Exporter|ExtUtils|Fcntl|File|FileHandle|Filter|FindBin|Getopt|Hash|HTTP::Tiny|I18N|IO|JSON::PP|List|Locale|Math|MIME|Module|Net|Params|Perl|PerlIO|Pod|POSIX|Safe|Scalar|Search|SelectSaver|Socket|Storable|Sub|Symbol|Sys|Term|Test|Text|Thread|Tie|Time|Unicode|User|XSLoader)(?:::|$)/,
    files: (module) => [`${module.replaceAll('::', '/')}.pm`],
    endings: [''],
  },
  php: {
    beside: [/(?:__DIR__|dirname\( *__FILE__ *\)) *\. *["']\/?([^"'$\n]+)["']/g],
    path: [/\b(?:require|include)(?:_once)?[ (]+["']([^"'$\n]+)["']/g],
    module: [],
    computed: [
      /\b(?:require|include)(?:_once)?[ (]+(?!["']|__DIR__|dirname)[^\n]{0,80}/g,
      /\beval *\([^\n]{0,80}/g,
      /vendor\/autoload[^\n]{0,40}/g,
    ],
    programs: /`|\b(?:shell_exec|exec|system|passthru|proc_open|popen|pcntl_exec)\b/,
    standard: /^/,
    files: () => [],
    endings: [''],
  },
  lua: {
    beside: [],
    path: [/\b(?:dofile|loadfile)[ (]+["']([^"'\n]+)["']/g],
    module: [/\brequire[ (]*["']([^"'\n]+)["']/g],
    computed: [
      /\b(?:require|dofile|loadfile)[ (]+(?!["'])[A-Za-z_][^\n]{0,80}/g,
      /\b(?:load|loadstring)\b[^\n]{0,80}/g,
      /\bpackage\.c?path\b[^\n]{0,80}/g,
    ],
    programs: /\b(?:os\.execute|io\.popen)\b/,
    standard: /^(?:string|table|math|io|os|coroutine|utf8|debug|package)$/,
    files: (module) => [`${module.replaceAll('.', '/')}.lua`, `${module.replaceAll('.', '/')}/init.lua`],
    endings: [''],
  },
  powershell: {
    beside: [/\$PSScriptRoot[\\/]([^"'\s;)|$]+)/gi],
    path: [
      /(?:^|[;|{(]) *[.&] +["']?(\.{0,2}[\\/][^"'\s;)|$]+)/gm,
      /\bImport-Module +["']?([^"'\s;)|$]*[\\/.][^"'\s;)|$]*)/gi,
    ],
    module: [/\bImport-Module +["']?([\w-]+)["']?(?=\s|;|$)/gi, /^\s*using module +["']?([\w.\\/-]+)/gim],
    computed: [
      /(?:^|[;|{(]) *[.&] +["']?\$(?!PSScriptRoot[\\/][^$]{0,80}$)[^\n]{0,80}/gm,
      /\b(?:Invoke-Expression|iex|Add-Type)\b[^\n]{0,80}/gi,
    ],
    programs: /\b(?:Start-Process|Invoke-Command|cmd|bash|sh|node|python3?)(?:\.exe)?\b/i,
    standard: /^Microsoft\.PowerShell/,
    files: () => [],
    endings: ['', '.psm1', '.psd1'],
  },
};

/** Languages that load in few words: Ruby, Perl, PHP, Lua, PowerShell. */
export const otherLanguage: Finder = async (source, looking) => {
  const words = source.as && languages[source.as];
  if (!words) return { uses: [], unchecked: [{ code: 'unread', of: source.path }] };
  // No pattern looks at a run of spaces twice.
  const text = source.text.replace(/[ \t]+/g, ' ');
  const unchecked: Unchecked[] = words.computed.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([line]) => ({ code: 'computed' as const, of: line.trim() })),
  );
  if (words.programs.test(text)) unchecked.push({ code: 'programs', of: source.path });
  const uses: Use[] = [];
  for (const name of namesIn(text, words.beside))
    uses.push(...(await ofPath(name, [dirname(source.path)], source, words, looking)));
  for (const name of namesIn(text, words.path))
    uses.push(...(await ofPath(name, [source.cwd, dirname(source.path)], source, words, looking)));
  for (const name of namesIn(text, words.module)) {
    const found = await modulesOf(name, source, words, looking);
    uses.push(...found);
    if (found.length === 0 && !words.standard.test(name)) unchecked.push({ code: 'package', of: name });
  }
  return { uses, unchecked };
};

function namesIn(text: string, patterns: readonly RegExp[]): ReadonlySet<string> {
  return new Set(
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name.replaceAll('\\', '/'))),
  );
}

async function ofPath(
  name: string,
  folders: readonly string[],
  source: Source,
  { endings }: Words,
  { probe }: Looking,
): Promise<readonly Use[]> {
  const all = folders.flatMap((folder) =>
    endings.map((ending) => resolve(folder, name.replace(/^\/(?!\w+\/)/, './')) + ending),
  );
  const there = await Promise.all([...new Set(all)].map(async (path) => ((await probe.isFile(path)) ? [path] : [])));
  // One that is not there yet will run once it is.
  const found = there.flat();
  const paths = found.length > 0 ? found : all.slice(0, 1);
  return paths.map((path) => ({ path, cwd: source.cwd, ...(source.as ? { as: source.as } : {}) }));
}

async function modulesOf(name: string, source: Source, { files }: Words, { probe }: Looking): Promise<readonly Use[]> {
  const folders = [source.cwd, dirname(source.path), join(dirname(source.path), 'lib'), join(source.cwd, 'lib')];
  const all = [...new Set(folders.flatMap((folder) => files(name).map((file) => join(folder, file))))];
  const there = await Promise.all(all.map(async (path) => ((await probe.isFile(path)) ? [path] : [])));
  return there.flat().map((path) => ({ path, cwd: source.cwd, ...(source.as ? { as: source.as } : {}) }));
}
