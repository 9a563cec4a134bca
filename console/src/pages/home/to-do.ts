import type { ResponseOf } from '../../api/call.ts';

type Task = ResponseOf<'GET /api/home/tasks'>['tasks'][number];
type Suggestion = ResponseOf<'GET /api/home/suggestions'>['suggestions'][number];

export type ToDo = Omit<Task, 'type'> & Pick<Suggestion, 'directoryType'> & { type: Task['type'] | Suggestion['type'] };

export type ToDoKind = 'tasks' | 'suggestions';
