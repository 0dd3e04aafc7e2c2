// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expansions of the shell are the subject
import fc from 'fast-check';

/** Values of the variables that generated commands name: what they would do if they were put in as text. */
export const VARIABLES: Readonly<Record<string, string>> = {
  X: '-rf src',
  Y: '$(boom)',
  Z: '; boom',
  IFS_LIKE: ' ',
  A: 'x[$(boom)]',
};

const name = fc.constantFrom('git', 'npm', 'alfa', 'bravo', 'rm', 'node', 'cargo', './run.sh', 'echo', 'printf', ':');
const bare = fc.constantFrom(
  'log',
  'status',
  'test',
  'run',
  'build',
  '-1',
  '-p',
  '--oneline',
  '--stat',
  '--output=out',
  'a.txt',
  'src/x.ts',
  'HEAD',
  '-rf',
  '--',
  '-',
  'x=y',
  '@',
  '%',
  '+',
  ':',
  ',',
  'a:b',
  './x',
  '../x',
);
const expansion = fc.constantFrom(
  '$X',
  '"$X"',
  '${X}',
  '${X:-alt}',
  '${Q:-$(inner)}',
  '$(inner one)',
  '`inner two`',
  '"$(inner three)"',
  '$((1+1))',
  '*',
  '?.txt',
  '[ab].txt',
  '{a,b}',
  '--{one,two}',
  'x{1..3}',
  '{a,{b,c}}',
  '~',
  '~/x',
  'HEAD~1',
  'a~/x',
  '$Y',
  '"$Y"',
  '$Z',
  '$$',
  '$?',
  '$@',
  '"$@"',
  '$#',
  '!x',
  '<(inner four)',
  "$'a\\x20b'",
  '$"t"',
  '\\ ',
  'a\\ b',
  '\\$X',
  '\\\n',
  'a\\\nb',
  '#c',
  'a#b',
  '${#X}',
  '${X%y}',
  '${X/a/b}',
  '@(a|b)',
  '!(a)',
  '+(a)',
  '${!X}',
  'é',
  'a\u00a0b',
  '\u200b',
  '\r',
  '\t',
  '{',
  '}',
  'a{',
  '[',
  ']',
  '=',
  '==',
  '^',
  'a^b',
);
const quoted = fc.constantFrom(
  "'a b'",
  '"a b"',
  "'$X'",
  "'`x`'",
  '"a\\"b"',
  "''",
  '""',
  '"it\'s"',
  "'a'\\''b'",
  '"\\$X"',
  '"{a,b}"',
  "'*'",
  '"!"',
  "'a\nb'",
  '"a\nb"',
  '"~"',
);

const word = fc.oneof(
  { weight: 6, arbitrary: bare },
  { weight: 2, arbitrary: quoted },
  { weight: 3, arbitrary: expansion },
  {
    weight: 2,
    arbitrary: fc.array(fc.oneof(bare, quoted, expansion), { minLength: 2, maxLength: 3 }).map((all) => all.join('')),
  },
);

const redirect = fc.constantFrom(
  '> out',
  '>> out',
  '2>&1',
  '< a.txt',
  '<<< text',
  '<<< "$X"',
  '&> out',
  '> out extra',
  '2> /dev/null',
  '>| out',
  '<> a.txt',
  '>&2',
  '3>&1',
  '<&-',
  '> "$X"',
);
const assignment = fc.constantFrom('V=1', 'V=$X', 'V="$(inner five)"', 'V=a V2=b', 'PATH=x', 'V+=c', 'V={a,b}');

const simple = fc
  .record({
    before: fc.option(assignment, { freq: 6 }),
    program: fc.oneof({ weight: 8, arbitrary: name }, { weight: 1, arbitrary: word }),
    words: fc.array(word, { maxLength: 4 }),
    redirect: fc.option(redirect, { freq: 5 }),
    space: fc.constantFrom(' ', ' ', ' ', '  ', '\t', ' \\\n '),
  })
  .map((of) => [of.before, of.program, ...of.words, of.redirect].filter((part) => part !== null).join(of.space));

const heredoc = fc
  .record({
    command: simple,
    mark: fc.constantFrom('EOF', "'EOF'", '"EOF"', '\\EOF'),
    body: word,
    tail: fc.constantFrom('', ' | bravo', ' && alfa', '; bravo'),
  })
  .map(({ command, mark, body, tail }) => `${command} <<${mark}${tail}\n${body}\nEOF`);

const group = fc.oneof(
  simple.map((one) => `(${one})`),
  simple.map((one) => `{ ${one}; }`),
  simple.map((one) => `! ${one}`),
  simple.map((one) => `if ${one}; then alfa; else bravo; fi`),
  simple.map((one) => `for v in a b; do ${one}; done`),
  simple.map((one) => `case x in x) ${one};; esac`),
  simple.map((one) => `f() { ${one}; }; f`),
  simple.map((one) => `eval "${one.replace(/["`$\\]/g, '')}"`),
  simple.map((one) => `time ${one}`),
  simple.map((one) => `cd src && ${one}`),
  simple.map((one) => `[[ -n "$X" ]] && ${one}`),
  simple.map((one) => `(( 1 )) && ${one}`),
  simple.map((one) => `export V=$(${one.split('\n')[0]})`),
);

const part = fc.oneof(
  { weight: 8, arbitrary: simple },
  { weight: 2, arbitrary: group },
  { weight: 1, arbitrary: heredoc },
);

/** What a rule can be made of. */
const plain = fc
  .tuple(name, fc.array(fc.oneof(bare, fc.constantFrom("'a b'", '"a b"', "'$X'")), { maxLength: 3 }))
  .map(([program, words]) => [program, ...words].join(' '));

/** What a rule for a chain can be made of, and what it must not be. */
const chain = fc
  .tuple(
    plain,
    fc.constantFrom(
      '',
      ' 2>&1',
      ' >/dev/null',
      ' 2> /dev/null',
      '2>&1',
      ' 2>out',
      ' &>/dev/null',
      ' 3>&1',
      ' >/dev/null2',
    ),
    fc.constantFrom(' && ', ' || ', '; ', ' | ', '|', ';', ' & ', ' |& ', ' \n '),
    fc.oneof(
      plain,
      fc.constantFrom('head -1', 'cat a.txt', "grep 'a b' a.txt", 'tail -n 1', 'wc -l', 'cd src', 'V=1 git', 'sh'),
    ),
  )
  .map((all) => all.join(''));

/** Text for bash: most of it honest, some of it not even whole. */
export const shellText = fc.oneof(
  { weight: 1, arbitrary: plain },
  { weight: 1, arbitrary: chain },
  { weight: 5, arbitrary: part },
  {
    weight: 3,
    arbitrary: fc
      .tuple(part, fc.constantFrom(' && ', ' || ', '; ', '\n', ' & ', ' | ', ' |& ', ';', '&&', '|'), part)
      .map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.tuple(part, fc.nat(40)).map(([text, at]) => text.slice(0, -at || undefined)) },
);
