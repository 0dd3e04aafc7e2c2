import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChildAgent } from '../../src/api.ts';
import type { Stretch } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { HostError } from '../host.ts';
import { Paced } from '../state/paced.ts';

/** Between two looks at the transcript of an agent that works, ms. */
const pause = 500;

interface ChildRows {
  readonly stretch?: Stretch;
  /** Why there are none, in words. */
  readonly problem?: string;
}

/** The newest rows of an agent, asked for anew whenever something has happened to it (`child` is another value). */
export function useChildRows(childId: string, child: ChildAgent | undefined, limit: number): ChildRows {
  const chat = useChat();
  const [rows, setRows] = useState<ChildRows>({});
  const reading = useRef<Paced | undefined>(undefined);

  useEffect(() => {
    const paced = new Paced(pause, async () => {
      try {
        const stretch = await chat.host.request<'childRows'>({ type: 'childRows', childId, limit });
        if (reading.current === paced) setRows({ stretch });
      } catch (error) {
        if (reading.current === paced) setRows({ problem: error instanceof HostError ? error.message : String(error) });
      }
    });
    reading.current = paced;
    return () => {
      reading.current = undefined;
      paced.dispose();
    };
  }, [chat, childId, limit]);

  // Each new value of the agent is a reason to look again.
  useEffect(() => reading.current?.wish(), [chat, childId, limit, child]);
  return rows;
}
