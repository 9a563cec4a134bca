import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { apiVersion } from '../../api/api-version.ts';
import { newIdempotencyKey } from '../../api/call.ts';
import { waitForSignIn } from '../../api/session-state.ts';
import { notifyProblem } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';

export interface Upload {
  key: number;
  /** The same for each attempt, so that the file is stored once. */
  idempotencyKey: string;
  file: File;
  folderId: number | undefined;
  status: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
  /** 0 to 100 */
  progress: number;
  /** Error message of the API. */
  problem?: string | undefined;
}

const atOnce = 2;

/** Uploads several files in parallel. Uses XMLHttpRequest because fetch does not report upload progress. */
export function useUploads(onUploaded: () => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const waiting = useRef<Upload[]>([]);
  const sending = useRef(new Map<number, XMLHttpRequest>());
  const keys = useRef(0);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  // Uploads continue on other pages of the console, but not after the tab is closed.
  const [askBeforeClosing] = useState(() => (event: Event) => event.preventDefault());
  const change = (key: number, values: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)));

  const next = () => {
    while (sending.current.size < atOnce) {
      const first = waiting.current.shift();
      if (!first) return;
      send(first);
    }
  };
  const send = (upload: Upload) => {
    const { key, idempotencyKey, file, folderId } = upload;
    const request = new XMLHttpRequest();
    sending.current.set(key, request);
    window.addEventListener('beforeunload', askBeforeClosing);
    const end = (values: Partial<Upload>) => {
      sending.current.delete(key);
      change(key, values);
      if (values.status === 'done') onUploaded();
      if (values.status === 'failed' && isLeft.current) notifyFailed(file.name, values.problem);
      next();
      if (sending.current.size === 0) window.removeEventListener('beforeunload', askBeforeClosing);
    };
    request.open('POST', '/api/dam/assets');
    request.setRequestHeader('x-waypost-console', '1');
    request.setRequestHeader('x-api-version', apiVersion);
    request.setRequestHeader('idempotency-key', idempotencyKey);
    request.upload.onprogress = ({ loaded, total }) => change(key, { progress: Math.round((loaded / total) * 100) });
    request.onload = async () => {
      if (request.status < 300) return end(isComplete(request) ? { status: 'done', progress: 100 } : connectionLost());
      // Retries the upload after the user signs in again.
      if (request.status === 401 && (await waitForSignIn())) return send(upload);
      return end({ status: 'failed', problem: problemOf(request) });
    };
    request.onerror = () => end(connectionLost());
    request.onabort = () => end({ status: 'cancelled' });
    const form = new FormData();
    // Fields come first so that the server can reject the request before the file is uploaded.
    if (folderId !== undefined) form.append('folderId', String(folderId));
    form.append('file', file);
    change(key, { status: 'sending' });
    request.send(form);
  };

  const add = (files: readonly File[], folderId: number | undefined) => {
    const added = files.map(
      (file): Upload => ({
        key: ++keys.current,
        idempotencyKey: newIdempotencyKey(),
        file,
        folderId,
        status: 'waiting',
        progress: 0,
      }),
    );
    setUploads((all) => [...added, ...all]);
    waiting.current.push(...added);
    next();
  };
  return {
    uploads,
    add,
    cancel: (key: number) => {
      sending.current.get(key)?.abort();
      if (!waiting.current.some((upload) => upload.key === key)) return;
      waiting.current = waiting.current.filter((upload) => upload.key !== key);
      change(key, { status: 'cancelled' });
    },
    retry: (key: number) => {
      const failed = uploads.find((upload) => upload.key === key);
      if (failed?.status !== 'failed') return;
      change(key, { status: 'waiting', progress: 0, problem: undefined });
      waiting.current.push(failed);
      next();
    },
    clear: () => setUploads((all) => all.filter(({ status }) => status === 'waiting' || status === 'sending')),
  };
}

/** The list of uploads is not shown on other pages. */
const notifyFailed = (name: string, problem = '') =>
  notifyProblem(new ApiProblem(0, { message: t('assets.uploads.failedOf', { name, problem }) }));

const connectionLost = () => ({ status: 'failed', problem: t('assets.uploads.unreachable') }) as const;

/** As in call.ts: a success has a `response`, the page of a proxy has none. */
const isComplete = (request: XMLHttpRequest) => contentOf(request).response !== undefined;

function problemOf(request: XMLHttpRequest): string {
  const { message, errors = [] } = contentOf(request);
  return errors.map((one) => one.message).join(' ') || message || `HTTP ${request.status}`;
}

interface Content {
  response?: unknown;
  message?: string;
  errors?: { message: string }[];
}

function contentOf({ responseText }: XMLHttpRequest): Content {
  try {
    return (JSON.parse(responseText) as Content | null) ?? {};
  } catch {
    return {};
  }
}
