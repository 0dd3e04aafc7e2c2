import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyReplacement } from '../../../src/agent/tools/patch-match.ts';

function patch(text: string, old: string, replacement: string, all = false) {
  return applyReplacement(text, { old, new: replacement, all });
}

function patched(text: string, old: string, replacement: string, all = false): string {
  const outcome = patch(text, old, replacement, all);
  assert.equal(outcome.kind, 'replaced', outcome.kind === 'failed' ? outcome.why : '');
  return outcome.kind === 'replaced' ? outcome.text : '';
}

function why(text: string, old: string, replacement: string, all = false): string {
  const outcome = patch(text, old, replacement, all);
  assert.equal(outcome.kind, 'failed');
  return outcome.kind === 'failed' ? outcome.why : '';
}

describe('finding what a patch means', () => {
  it('case 71: several places are an error with their lines', () => {
    assert.match(why('x\na\nx\nb\nx\n', 'x', 'y'), /3 times \(lines 1, 3, 5\)/);
    assert.match(why('x\n'.repeat(9), 'x', 'y'), /lines 1, 2, 3, 4, 5 and more/);
  });

  it('replace_all replaces them all', () => {
    assert.equal(patched('x\na\nx\n', 'x', 'y', true), 'y\na\ny\n');
  });

  it('case 71: replace_all does not guess: places that match only in part are refused', () => {
    assert.match(why('  a(1)\n b\n    a(1)\n b\n', 'a(1)\nb', 'c', true), /exact/);
  });

  it('case 72: what is there already is no error', () => {
    assert.equal(patch('const total = 2;\n', 'const sum = 1;', 'const total = 2;').kind, 'already');
    assert.equal(patch('x = 2', 'y = 1', 'x = 2').kind, 'failed', 'too short to be sure');
  });

  it('empty, blank and equal strings are errors with help', () => {
    assert.match(why('a', '', 'b'), /empty/);
    assert.match(why('a', ' \n', 'b'), /white space/);
    assert.match(why('a', 'a', 'a'), /same/);
  });

  it('a miss shows the nearest lines with visible white space', () => {
    const message = why('function one() {\n\treturn 41 + 1; \n}\n', 'return 41 + 2;', 'return 0;');
    assert.match(message, /2\|→return 41 \+ 1;·/);
    assert.match(why('abc\n', 'completely different text', 'x'), /No line of it is like it/);
  });

  it('a different indentation matches, and the new text gets that of the file', () => {
    const text = 'class A {\n    run() {\n        if (x) {\n            go();\n        }\n    }\n}\n';
    const old = 'if (x) {\n  go();\n}';
    const replacement = 'if (x) {\n  go();\n  stop();\n}';
    assert.equal(patched(text, old, replacement), text.replace('go();\n', 'go();\n            stop();\n'));
  });

  it('spaces become tabs where the file indents by tabs', () => {
    const text = 'function f() {\n\tif (x) {\n\t\tgo();\n\t}\n}\n';
    const old = '  if (x) {\n    go();\n  }';
    const replacement = '  if (x) {\n    go();\n    if (y) {\n      stop();\n    }\n  }';
    assert.equal(
      patched(text, old, replacement),
      'function f() {\n\tif (x) {\n\t\tgo();\n\t\tif (y) {\n\t\t\tstop();\n\t\t}\n\t}\n}\n',
    );
  });

  it('spacing inside lines and at their ends is tolerated', () => {
    assert.equal(patched('a  =  1;   \nb = 2;\n', 'a = 1;\nb = 2;', 'a = 3;\nb = 2;'), 'a = 3;\nb = 2;\n');
  });

  it('case 73: typographic quotes match straight ones and stay where they are not touched', () => {
    assert.equal(
      patched('say “hello” – it’s me', `say "hello" - it's me`, `say "hello" - it's you`),
      'say “hello” – it’s you',
    );
  });

  it('case 76: a backslash and a t match a tab only where there is one; a backslash and an n is no line break', () => {
    assert.equal(patched('\tgo();\n', '\\tgo();', '\\tstop();'), '\tstop();\n');
    assert.equal(patched("print('\\t')\n", "print('\\t')", "print('\\t\\t')"), "print('\\t\\t')\n");
    assert.equal(patch('a\nb\n', 'a\\nb', 'c').kind, 'failed');
  });

  it('deleting whole lines leaves no empty line behind', () => {
    assert.equal(patched('a\n\tb();\nc\n', '  b();', ''), 'a\nc\n');
  });

  it('mixed line ends: what is not replaced keeps its own', () => {
    assert.equal(patched('a\r\nb\nc\r\nd\r\n', 'b\nc', 'B\nC'), 'a\r\nB\r\nC\r\nd\r\n');
  });

  it('whatever the text, an exact patch changes that place and nothing else', () => {
    const line = fc.stringMatching(/^[ab \t“’-]{0,6}$/);
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, text, fc.stringMatching(/^[xyz]{1,5}$/), (before, after, replacement) => {
        assert.equal(patched(`${before}UNIQUE${after}`, 'UNIQUE', replacement), before + replacement + after);
      }),
    );
  });
});
