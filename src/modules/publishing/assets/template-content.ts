import Type, { type Static } from 'typebox';
import { Problem } from '../../../problems.ts';
import { directoryList } from '../../directories/index.ts';
import { changedContent, contentErrors, newContent, rejectErrors } from '../social-posts/post-rules.ts';
import {
  NewPost,
  PostChange,
  type PostContent,
  type PostPatch,
  SocialPostResponse,
} from '../social-posts/social-post.ts';

const fields = [
  'type',
  'title',
  'description',
  'directories',
  'photos',
  'videos',
  'callToActions',
  'couponCode',
  'termsAndConditions',
  'isStoreLocator',
] as const;

/** The content of a post without targets and dates. */
export type TemplateContent = Pick<PostContent, (typeof fields)[number]>;

const { directories, ...input } = Type.Pick(NewPost, fields).properties;

export const NewTemplateContent = Type.Object(
  { ...input, directories: Type.Optional(directories) },
  {
    title: 'NewSocialTemplateContent',
    examples: [{ type: 'OFFER', title: 'Two for one', description: 'Every Tuesday', couponCode: 'TUESDAY' }],
  },
);
export const TemplateContentChange = Type.Object(Type.Pick(PostChange, fields).properties, {
  title: 'SocialTemplateContentChange',
});
export const TemplateContentResponse = Type.Object(Type.Pick(SocialPostResponse, fields).properties, {
  title: 'SocialTemplateContent',
});

export const newTemplate = (input: Static<typeof NewTemplateContent>): TemplateContent =>
  checked(newContent({ directories: [], ...input }, new Date(0)), input);

/** null deletes a field; absent fields keep their values. */
export const changedTemplate = (
  before: TemplateContent,
  patch: Static<typeof TemplateContentChange>,
): TemplateContent =>
  checked(
    changedContent({ ...newContent({ directories: [] }, new Date(0)), ...before }, patch as PostPatch, new Date(0)),
    patch,
  );

/** Applies the content rules of posts. */
function checked(content: PostContent, input: { callToActions?: unknown[] | null }): TemplateContent {
  if (content.directories.length === 0 && (input.callToActions ?? []).length > 0) throw missingDirectories;
  const errors = contentErrors(content, directoryList).map(({ field, ...rest }) => ({
    field: `content.${field}`,
    ...rest,
  }));
  rejectErrors(errors);
  return Object.fromEntries(fields.map((name) => [name, content[name]])) as unknown as TemplateContent;
}

const postDirectories = directoryList.filter(({ postMaxLength }) => postMaxLength > 0).map(({ type }) => type);

const missingDirectories = new Problem('MISSING_PARAMETER', {
  errors: [
    {
      field: 'content.directories',
      rule: 'required',
      message:
        'content.directories is required if content.callToActions is given. ' +
        `Send one or more of ${postDirectories.join(', ')}.`,
    },
  ],
});

export const templateContentResponse = (content: TemplateContent): Static<typeof TemplateContentResponse> =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null)) as Static<
    typeof TemplateContentResponse
  >;
