"""What `python-telegram-bot` makes of our requests, and updates as it writes them. It never talks to Telegram.

    library.py read           Reads a JSON list of {"method", "params"} from stdin, as we would send them. Prints a JSON
                              list: for each, the text that the library finds bold. Fails if the library would read
                              anything else than what is written there, or if a limit of Telegram's is exceeded.
    library.py write          Prints a response to getUpdates.
    library.py link BOT CODE  Prints the link that starts the bot.
"""

import datetime
import inspect
import json
import sys

import telegram
from telegram import constants

NOW = datetime.datetime(2026, 11, 18, 12, 0, tzinfo=datetime.timezone.utc)
# Of each call, what the library's own function has beyond the parameters of the API.
OURS_NOT = {"self", "api_kwargs", "read_timeout", "write_timeout", "connect_timeout", "pool_timeout"}
FUNCTIONS = {
    "sendMessage": telegram.Bot.send_message,
    "editMessageText": telegram.Bot.edit_message_text,
    "editMessageReplyMarkup": telegram.Bot.edit_message_reply_markup,
    "answerCallbackQuery": telegram.Bot.answer_callback_query,
    "getUpdates": telegram.Bot.get_updates,
    "getMe": telegram.Bot.get_me,
}


def units(text):
    return len(text.encode("utf-16-le")) // 2


def whole(cls, value):
    """Reads a value, and checks that the library knows each field of it and lost none."""
    read = cls.de_json(value, None)
    assert not read.api_kwargs, f"{cls.__name__} has no field {read.api_kwargs}"
    assert read.to_dict() == value, f"{read.to_dict()} is not {value}"
    return read


def check_keyboard(value):
    if not value["inline_keyboard"]:
        # It removes the buttons. The library reads it, and would leave the field out.
        assert telegram.InlineKeyboardMarkup.de_json(value, None) == telegram.InlineKeyboardMarkup([])
        return
    markup = whole(telegram.InlineKeyboardMarkup, value)
    keys = [key for row in markup.inline_keyboard for key in row]
    assert len(keys) <= constants.InlineKeyboardMarkupLimit.TOTAL_BUTTON_NUMBER
    assert all(len(row) <= constants.InlineKeyboardMarkupLimit.BUTTONS_PER_ROW for row in markup.inline_keyboard)
    for key in keys:
        assert not key.api_kwargs, f"a button has no field {key.api_kwargs}"
        assert key.text and (key.callback_data is None) != (key.url is None)
        assert key.style is None or key.style in list(constants.KeyboardButtonStyle)
        if key.callback_data is not None:
            limit = constants.InlineKeyboardButtonLimit
            assert limit.MIN_CALLBACK_DATA <= len(key.callback_data.encode()) <= limit.MAX_CALLBACK_DATA


def check(method, params):
    known = set(inspect.signature(FUNCTIONS[method]).parameters) - OURS_NOT
    assert set(params) <= known, f"{method} has no parameter {set(params) - known}"
    for name, cls in [
        ("link_preview_options", telegram.LinkPreviewOptions),
        ("reply_parameters", telegram.ReplyParameters),
    ]:
        if name in params:
            whole(cls, params[name])
    markup = params.get("reply_markup", {})
    if "inline_keyboard" in markup:
        check_keyboard(markup)
    elif markup:
        # The library writes `force_reply` by itself, and only writes it.
        placeholder = markup.get("input_field_placeholder")
        assert telegram.ForceReply(input_field_placeholder=placeholder).to_dict() == markup
        assert units(placeholder or "x") <= constants.ReplyLimit.MAX_INPUT_FIELD_PLACEHOLDER
    assert set(params.get("allowed_updates", [])) <= set(constants.UpdateType)
    if "text" not in params:
        return None
    limit = constants.MessageLimit.MAX_TEXT_LENGTH
    if method == "answerCallbackQuery":
        limit = constants.CallbackQueryLimit.ANSWER_CALLBACK_QUERY_TEXT_LENGTH
    assert 1 <= units(params["text"]) <= limit
    entities = [whole(telegram.MessageEntity, entity) for entity in params.get("entities", [])]
    message = telegram.Message(1, NOW, telegram.Chat(1, "private"), text=params["text"], entities=entities)
    bold = list(message.parse_entities([constants.MessageEntityType.BOLD]).values())
    assert len(bold) == len(entities) <= 1
    return bold[0] if bold else None


def updates():
    bot = telegram.User(110201543, "Ask", is_bot=True, username="ask_bot")
    ann = telegram.User(7001, "Ann", is_bot=False, username="ann", language_code="en")
    stranger = telegram.User(6666, "Ann", is_bot=False, username="ann2")
    private = telegram.Chat(7001, constants.ChatType.PRIVATE, first_name="Ann")
    group = telegram.Chat(-100123, constants.ChatType.SUPERGROUP, title="Team")
    keyboard = telegram.InlineKeyboardMarkup([[telegram.InlineKeyboardButton("Yes", callback_data="ticketYes")]])
    card = telegram.Message(55, NOW, private, from_user=bot, text="Deploy?", reply_markup=keyboard)
    in_group = telegram.Message(70, NOW, group, from_user=bot, text="Deploy?", reply_markup=keyboard)
    gone = telegram.InaccessibleMessage(private, 54)

    def said(text, chat=private, user=ann, **more):
        entities = [telegram.MessageEntity("bot_command", 0, len(text.split()[0]))] if text.startswith("/") else None
        return telegram.Message(56, NOW, chat, from_user=user, text=text, entities=entities, **more)

    def tap(user, message):
        return telegram.CallbackQuery("4382bfdwdsb323b2d9", user, "-31258", message=message, data="ticketYes")

    happened = [
        {"message": said("/start pair-7Kq_x")},
        {"message": said("/start pair-7Kq_x", chat=group)},
        {"callback_query": tap(ann, card)},
        {"callback_query": tap(ann, gone)},
        {"callback_query": tap(stranger, in_group)},
        {"message": said("main, please 😀", reply_to_message=card)},
        {"message": said("/inbox")},
        {"message": said("/away")},
        {"message": said("/back")},
        {"message": telegram.Message(57, NOW, private, from_user=ann, sticker=sticker())},
        {"edited_message": said("changed")},
    ]
    made = [telegram.Update(900 + at, **fields) for at, fields in enumerate(happened)]
    assert all(telegram.Update.de_json(update.to_dict(), None) == update for update in made)
    return {"ok": True, "result": [update.to_dict() for update in made]}


def sticker():
    return telegram.Sticker("f", "u", 512, 512, is_animated=False, is_video=False, type=constants.StickerType.REGULAR)


match sys.argv[1:]:
    case ["read"]:
        print(json.dumps([check(request["method"], request["params"]) for request in json.load(sys.stdin)]))
    case ["write"]:
        print(json.dumps(updates()))
    case ["link", bot, code]:
        print(telegram.helpers.create_deep_linked_url(bot, code))
    case _:
        sys.exit(__doc__)
