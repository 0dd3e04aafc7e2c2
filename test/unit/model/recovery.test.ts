import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { HINTS } from '../../../src/agent/model/failures/hints.ts';
import {
  afterSwitch,
  type FailedAttempt,
  FRESH,
  type Recovery,
  type RecoveryState,
  recover,
  withoutOne,
} from '../../../src/agent/model/recovery/recovery.ts';
import type { ModelError, ModelErrorKind } from '../../../src/agent/model/types.ts';

const failure = (kind: ModelErrorKind, rest: Partial<ModelError> = {}): ModelError => ({
  kind,
  message: '',
  detail: '',
  retryable: HINTS[kind].retry,
  ...rest,
});

const SMALL = { tokens: 1_000, messages: 4, window: 200_000, thinks: false };

const attempt = (error: ModelError, rest: Partial<FailedAttempt> = {}): FailedAttempt => ({
  error,
  shown: false,
  calling: false,
  session: SMALL,
  refusedTool: undefined,
  connections: 1,
  images: false,
  compaction: 'possible',
  severalKeys: false,
  maxOutput: undefined,
  maxAttempts: 3,
  random: 0,
  ...rest,
});

/** What is done in turn when every attempt fails so and there is neither another key nor another model. */
function course(failed: FailedAttempt, missing: readonly ('key' | 'model')[] = ['key', 'model']): readonly string[] {
  const done: string[] = [];
  let state: RecoveryState = FRESH;
  for (let steps = 0; steps < 40; steps++) {
    const next = recover(failed, state);
    state = next.state;
    done.push(next.recovery.do);
    if (next.recovery.do === 'rotate' && missing.includes('key')) state = withoutOne(state, 'key');
    else if (next.recovery.do === 'fallback' && missing.includes('model')) state = withoutOne(state, 'model');
    else if (next.recovery.do !== 'wait' && next.recovery.do !== 'reconnect') return done;
  }
  return [...done, 'for ever'];
}

describe('the order of recovery', () => {
  const courses: [string, FailedAttempt, readonly string[]][] = [
    ['a failed server', attempt(failure('server')), ['wait', 'wait', 'fallback', 'give_up']],
    ['silence', attempt(failure('timeout')), ['wait', 'fallback', 'wait', 'give_up']],
    ['an overload', attempt(failure('overloaded')), ['wait', 'fallback', 'wait', 'give_up']],
    ['a limit', attempt(failure('rate_limit')), ['rotate', 'fallback', 'wait', 'wait', 'give_up']],
    [
      'a limit of one of several keys',
      attempt(failure('rate_limit'), { severalKeys: true }),
      ['wait', 'rotate', 'fallback', 'wait', 'give_up'],
    ],
    [
      'a subscription that is used up',
      attempt(failure('rate_limit', { code: 'usage_limit_reached' }), { severalKeys: true }),
      ['rotate', 'fallback', 'wait', 'wait', 'give_up'],
    ],
    [
      'an overload that is to last for minutes',
      attempt(failure('overloaded', { retryAfterMs: 61_000 })),
      ['fallback', 'wait', 'wait', 'give_up'],
    ],
    [
      'a limit of one of several keys that is to last for minutes',
      attempt(failure('rate_limit', { retryAfterMs: 61_000 }), { severalKeys: true }),
      ['rotate', 'fallback', 'wait', 'wait', 'give_up'],
    ],
    ['an empty account', attempt(failure('billing')), ['rotate', 'fallback', 'give_up']],
    ['a refused key', attempt(failure('auth', { status: 401 })), ['rotate', 'fallback', 'give_up']],
    ['a key without the right', attempt(failure('auth', { status: 403 })), ['fallback', 'give_up']],
    ['a refused request', attempt(failure('bad_request')), ['fallback', 'give_up']],
    ['a model that is not there', attempt(failure('model_not_found')), ['fallback', 'give_up']],
    ['refused content', attempt(failure('content_policy')), ['fallback', 'give_up']],
    ['an account’s rules', attempt(failure('provider_policy')), ['give_up']],
    ['no consent', attempt(failure('consent')), ['give_up']],
    ['an unknown failure', attempt(failure('unknown')), ['wait', 'wait', 'fallback', 'give_up']],
    ['a server that is not started', attempt(failure('network', { retryable: false })), ['fallback', 'give_up']],
    ['a conversation that is too long', attempt(failure('context_overflow')), ['compact']],
    ['one that was compacted', attempt(failure('context_overflow'), { compaction: 'done' }), ['give_up']],
    ['one that is not to be compacted', attempt(failure('context_overflow'), { compaction: 'off' }), ['give_up']],
    ['a body that is too large', attempt(failure('payload_too_large'), { images: true }), ['drop_images']],
    ['one that is too large without its images', attempt(failure('payload_too_large'), { images: false }), ['compact']],
    [
      'one that is too large after a compaction',
      attempt(failure('payload_too_large'), { images: true, compaction: 'done' }),
      ['drop_images'],
    ],
    ['one without images', attempt(failure('payload_too_large'), { compaction: 'done' }), ['give_up']],
    ['a plan without a long window', attempt(failure('long_context_tier')), ['compact']],
    ['a model that always thinks', attempt(failure('reasoning_mandatory')), ['think']],
    [
      'a local server that calls half a window too long',
      attempt(failure('context_overflow', { vague: true, retryable: true })),
      ['wait', 'wait', 'give_up'],
    ],
    ['a refused image', attempt(failure('image_rejected'), { images: true }), ['drop_images']],
    ['a refused image that cannot be left out', attempt(failure('image_rejected')), ['give_up']],
    ['too much output', attempt(failure('output_cap', { outputLimit: 8192 })), ['lower_output']],
    ['too much output without a number', attempt(failure('output_cap')), ['give_up']],
    ['shown text and a broken connection', attempt(failure('stream_cut'), { shown: true }), ['continue']],
    ['shown text and a failed server', attempt(failure('server'), { shown: true }), ['continue']],
    [
      'a call that the connection cut behind shown text',
      attempt(failure('stream_cut'), { shown: true, calling: true }),
      ['reconnect', 'reconnect', 'continue'],
    ],
    [
      'a call that an error cut behind shown text',
      attempt(failure('bad_request'), { shown: true, calling: true }),
      ['continue'],
    ],
    ['shown text that is then withheld', attempt(failure('content_policy'), { shown: true }), ['fallback', 'give_up']],
    [
      'shown text of a conversation that is too long',
      attempt(failure('context_overflow'), { shown: true }),
      ['give_up'],
    ],
  ];
  for (const [what, failed, expected] of courses) {
    it(`is ${expected.join(', ')} for ${what}`, () => {
      assert.deepEqual(course(failed), expected);
    });
  }

  const once = (failed: FailedAttempt, state = FRESH): Recovery => recover(failed, state).recovery;

  it('reads the keys again only with the first refused key', () => {
    const failed = attempt(failure('auth', { status: 401 }));
    const first = recover(failed, FRESH);
    assert.deepEqual(first.recovery, { do: 'rotate', reread: true });
    const second = recover(failed, afterSwitch(first.state, 'key'));
    assert.deepEqual(second.recovery, { do: 'rotate', reread: false });
    assert.deepEqual(once(failed, afterSwitch(second.state, 'model')), { do: 'rotate', reread: true });
  });

  it('goes to a fallback once for refused content, whatever model refuses it', () => {
    const failed = attempt(failure('content_policy'));
    const first = recover(failed, FRESH);
    assert.deepEqual(once(failed, afterSwitch(first.state, 'model')), { do: 'give_up' });
  });

  it('counts attempts anew with another key or model', () => {
    const failed = attempt(failure('server'));
    const tired: RecoveryState = { reconnects: 2, charged: 2, used: new Set(['drop_images', 'no_key_left']) };
    assert.equal(once(failed, tired).do, 'fallback');
    const fresh = afterSwitch(tired, 'model');
    assert.equal(once(failed, fresh).do, 'wait');
    assert.deepEqual([...fresh.used], ['drop_images']);
  });

  it('leaves 64 tokens below the limit that was named, as often as more was asked for', () => {
    const state = recover(attempt(failure('output_cap', { outputLimit: 8192 })), FRESH).state;
    const again = (maxOutput: number) =>
      once(attempt(failure('output_cap', { outputLimit: 8192 }), { maxOutput }), state);
    assert.deepEqual(again(32_768), { do: 'lower_output', maxOutput: 8_128 });
    assert.deepEqual(again(8_128), { do: 'give_up' });
  });

  it('names the window that is left to a plan without a long one, and why an off compaction ends the turn', () => {
    assert.deepEqual(once(attempt(failure('long_context_tier'))), { do: 'compact', window: 200_000 });
    assert.deepEqual(once(attempt(failure('context_overflow'), { compaction: 'off' })), {
      do: 'give_up',
      why: 'compaction_off',
    });
  });

  describe('for a refusal that gives no reason', () => {
    const bare = failure('bad_request', { status: 400, vague: true });
    const hungUp = failure('network', { vague: true });
    const second: RecoveryState = { ...FRESH, charged: 1 };
    const size = (rest: Partial<typeof SMALL>) => ({ session: { ...SMALL, ...rest } });

    it('takes a bare 400 in a long conversation for its length', () => {
      for (const session of [{ tokens: 80_001 }, { messages: 81 }, { tokens: 30_000, window: 64_000 }]) {
        assert.equal(once(attempt(bare, size(session))).do, 'compact', JSON.stringify(session));
      }
      for (const session of [{}, { tokens: 80_000 }, { tokens: 100_000, messages: 500, window: 1_000_000 }]) {
        assert.equal(once(attempt(bare, size(session))).do, 'fallback', JSON.stringify(session));
      }
    });

    it('takes a connection that breaks twice in a long conversation for its length', () => {
      for (const session of [{ tokens: 120_001 }, { messages: 201 }, { tokens: 600_001, window: 1_000_000 }]) {
        assert.equal(once(attempt(hungUp, size(session))).do, 'wait');
        assert.equal(once(attempt(hungUp, size(session)), second).do, 'compact', JSON.stringify(session));
      }
      assert.equal(once(attempt(hungUp, size({ tokens: 110_000 })), second).do, 'wait');
    });

    it('takes the silence of a model that thinks for nothing else', () => {
      assert.equal(once(attempt(hungUp, size({ tokens: 190_000, thinks: true })), second).do, 'wait');
    });

    it('does so only as long as a compaction can help', () => {
      for (const compaction of ['done', 'off'] as const) {
        assert.equal(once(attempt(bare, { ...size({ tokens: 190_000 }), compaction })).do, 'fallback');
      }
    });
  });

  it('comes to an end, whatever fails in whatever order', () => {
    const kinds = Object.keys(HINTS) as ModelErrorKind[];
    const anyFailure = fc.record({
      kind: fc.constantFrom(...kinds),
      code: fc.constantFrom('', 'overloaded_error', '1305', 'usage_limit_reached'),
      status: fc.constantFrom(undefined, 400, 401, 403, 413, 429, 500, 529),
      vague: fc.boolean(),
      outputLimit: fc.constantFrom(undefined, 10, 4096),
      shown: fc.boolean(),
      calling: fc.boolean(),
      images: fc.boolean(),
      refusedTool: fc.constant(undefined),
      connections: fc.integer({ min: 1, max: 3 }),
      severalKeys: fc.boolean(),
      compacts: fc.boolean(),
      tokens: fc.nat(300_000),
    });
    fc.assert(
      fc.property(fc.infiniteStream(anyFailure), fc.nat(3), fc.nat(3), (failures, keys, models) => {
        let state = FRESH;
        let left = { keys, models, compaction: 1, output: 100_000, images: true };
        for (let attempts = 0; attempts < 200; attempts++) {
          const { value: one } = failures.next();
          const error = failure(one.kind, {
            code: one.code,
            ...(one.status !== undefined && { status: one.status }),
            ...(one.vague && { vague: true as const }),
            ...(one.outputLimit !== undefined && { outputLimit: one.outputLimit }),
          });
          const failed = attempt(error, {
            ...one,
            error,
            images: one.images && left.images,
            compaction: !one.compacts ? 'off' : left.compaction > 0 ? 'possible' : 'done',
            session: { ...SMALL, tokens: one.tokens },
            maxOutput: left.output,
          });
          let decided = recover(failed, state);
          for (;;) {
            const { recovery } = decided;
            if (recovery.do === 'rotate' && left.keys === 0)
              decided = recover(failed, withoutOne(decided.state, 'key'));
            else if (recovery.do === 'fallback' && left.models === 0) {
              decided = recover(failed, withoutOne(decided.state, 'model'));
            } else break;
          }
          state = decided.state;
          const { recovery } = decided;
          switch (recovery.do) {
            case 'give_up':
            case 'continue':
              return;
            case 'rotate':
              left = { ...left, keys: left.keys - 1 };
              state = afterSwitch(state, 'key');
              break;
            case 'fallback':
              left = { ...left, models: left.models - 1 };
              state = afterSwitch(state, 'model');
              break;
            case 'compact':
              left = { ...left, compaction: left.compaction - 1 };
              break;
            case 'lower_output':
              left = { ...left, output: recovery.maxOutput };
              break;
            case 'drop_images':
              left = { ...left, images: false };
              break;
            case 'wait':
            case 'think':
            case 'drop_tool':
            case 'reconnect':
              break;
            default:
              recovery satisfies never;
          }
        }
        assert.fail('still not at an end after 200 attempts');
      }),
      { numRuns: 500 },
    );
  });
});
