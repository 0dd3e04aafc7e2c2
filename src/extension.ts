import type * as vscode from 'vscode';
import type { MidcourseApi } from './api.ts';
import { Midcourse } from './editor/midcourse.ts';

let midcourse: Midcourse | undefined;

export function activate(context: vscode.ExtensionContext): MidcourseApi {
  midcourse = new Midcourse(context);
  return midcourse.api;
}

export async function deactivate(): Promise<void> {
  await midcourse?.close();
  midcourse = undefined;
}
