import { dirname, join, resolve } from 'node:path';
import type { Finder, Looking, Source, Unchecked, Use } from './types.ts';

/**
 * `import a`, `from .b import c`, `importlib.import_module('x')`, `runpy`, `exec(open('x').read())`. A module beside the
 * script comes before the one of Python, whatever its name.
 */
export const python: Finder = async (source, looking) => {
  const text = source.text.replace(/\\\r?\n/g, ' ').replace(/[ \t]+/g, ' ');
  const uses: Use[] = [];
  const unchecked: Unchecked[] = [];
  // `python -m package.module` begins with the package.
  const own = join(dirname(source.path), '__init__.py');
  if (await looking.probe.isFile(own)) uses.push({ path: own, as: 'python', cwd: source.cwd });
  for (const name of modules(text)) {
    const found = await modulesOf(name, source, looking);
    uses.push(...found.map((path) => ({ path, as: 'python' as const, cwd: source.cwd })));
    if (found.length === 0 && !isStandard(name)) unchecked.push({ code: 'package', of: name });
  }
  for (const path of paths(text)) {
    for (const at of new Set([resolve(dirname(source.path), path), resolve(source.cwd, path)]))
      if (await looking.probe.isFile(at)) uses.push({ path: at, cwd: source.cwd });
  }
  unchecked.push(...computed(text, source.path));
  return { uses, unchecked };
};

// Runs of spaces are one space, and lists in brackets have an end, so that no pattern looks at a place twice.
const IMPORT = /(?:^|[;:]) ?import ([^\n;#]+)/gm;
const FROM = /(?:^|[;:]) ?from (\.* ?(?:[A-Za-z_][\w.]*)?) import ?(\([^)]{0,4000}\)|[^\n;#]*)/gm;

/** Names of modules; those of `from a import b` may be modules as well. Relative ones keep their dots. */
function modules(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, list = ''] of text.matchAll(IMPORT)) {
    for (const part of list.split(',')) names.add(/^\s*([A-Za-z_][\w.]*)/.exec(part)?.[1] ?? '');
  }
  for (const [, from = '', list = ''] of text.matchAll(FROM)) {
    const base = from.replace(/\s/g, '');
    names.add(base);
    for (const part of list.replace(/[()]/g, '').replace(/#.*$/gm, '').split(',')) {
      const name = /^\s*([A-Za-z_]\w*)/.exec(part)?.[1];
      if (name !== undefined) names.add(`${base}${/\.$/.test(base) ? '' : '.'}${name}`);
    }
  }
  const calls = /\b(?:import_module|__import__|run_module|find_spec)\s*\(\s*(["'])([\w.]+)\1/g;
  for (const [, , name = ''] of text.matchAll(calls)) names.add(name);
  names.delete('');
  return names;
}

/** Files that the module, and the packages that it is in, may be. */
async function modulesOf(name: string, source: Source, { probe }: Looking): Promise<readonly string[]> {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const parts = name.slice(dots).split('.').filter(Boolean);
  const bases =
    dots > 0
      ? [resolve(dirname(source.path), ...Array.from({ length: dots - 1 }, () => '..'))]
      : // The script's folder, the one it runs in (`python -m`), and those above, for modules of a package.
        [...new Set([dirname(source.path), source.cwd, dirname(dirname(source.path))])];
  const found: string[] = [];
  for (const base of bases) {
    for (let count = dots > 0 ? 0 : 1; count <= parts.length; count++) {
      const at = join(base, ...parts.slice(0, count));
      const candidates = [...(count === 0 ? [] : [`${at}.py`]), join(at, '__init__.py'), join(at, '__main__.py')];
      for (const path of candidates) if (await probe.isFile(path)) found.push(path);
    }
  }
  return found;
}

function paths(text: string): ReadonlySet<string> {
  const all = [...text.matchAll(/(["'])([^"'\n\\]+\.(?:py|sh|bash|[cm]?js|rb|pl|so))\1/g)].map(
    ([, , path = '']) => path,
  );
  const opened = [...text.matchAll(/\b(?:open|run_path|execfile|Path)\s*\(\s*(["'])([^"'\n\\]+)\1/g)];
  return new Set([
    ...all,
    ...(/\b(?:exec|eval|compile|run_path|execfile)\s*\(/.test(text) ? opened.map(([, , path = '']) => path) : []),
  ]);
}

function* computed(text: string, path: string): Generator<Unchecked> {
  for (const [line] of text.matchAll(/\b(?:import_module|__import__|run_module|run_path)\s*\(\s*(?!["'])[^\n]{0,80}/g))
    yield { code: 'computed', of: line.trim() };
  for (const [line] of text.matchAll(/(?<![\w.])(?:exec|eval)\s*\((?!\s*open\s*\(\s*["'])[^\n]{0,80}/g))
    yield { code: 'computed', of: line.trim() };
  for (const [line] of text.matchAll(/\bsys\.path\b[^\n]{0,80}/g)) yield { code: 'computed', of: line.trim() };
  if (/\bsubprocess\b|\bos\.(?:system|popen|exec|spawn|posix_spawn)\w*|\bpty\.spawn\b/.test(text))
    yield { code: 'programs', of: path };
}

function isStandard(name: string): boolean {
  return name.startsWith('.') || STANDARD.has(name.split('.')[0] ?? '');
}

/** What Python brings (`sys.stdlib_module_names`). */
const STANDARD = new Set(
  `__future__ _thread abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
  configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis
  distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
  functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib
  inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes
  mmap modulefinder msilib msvcrt multiprocessing netrc nntplib ntpath numbers operator optparse os ossaudiodev pathlib pdb
  pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr
  pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex
  shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct
  subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit
  tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid
  venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`.split(
    /\s+/,
  ),
);
