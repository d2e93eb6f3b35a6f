"""SDL's own renderer, as two-dimensional games use it: rotated, tinted, flipped and blended textures, and a target."""
import pygame
from pygame._sdl2.video import Renderer, Texture, Window

pygame.init()
window = Window("sprites", size=(320, 240))
# The drivers of SDL, by number: "opengl" is the first on Linux.
renderer = Renderer(window, index=0, target_texture=True)

tile = pygame.Surface((48, 48), pygame.SRCALPHA)
for y in range(48):
    for x in range(48):
        tile.set_at((x, y), (5 * x, 5 * y, 255 - 5 * x, 255 if (x // 8 + y // 8) % 2 else 90))
texture = Texture.from_surface(renderer, tile)
canvas = Texture(renderer, (160, 120), target=True)

renderer.target = canvas
renderer.draw_color = (30, 60, 90, 255)
renderer.clear()
for place in range(5):
    texture.color = (255, 255 - 50 * place, 50 * place)
    texture.alpha = 255 - 40 * place
    texture.blend_mode = (pygame.BLENDMODE_BLEND, pygame.BLENDMODE_ADD, pygame.BLENDMODE_MOD)[place % 3]
    texture.draw(dstrect=(28 * place, 20 + 8 * place, 48, 48), angle=17 * place, flipX=place % 2 == 1)
renderer.target = None

renderer.draw_color = (200, 200, 180, 255)
renderer.clear()
canvas.draw(dstrect=(10, 10, 300, 150))
renderer.draw_color = (180, 20, 60, 255)
renderer.fill_rect((20, 170, 60, 50))
renderer.draw_line((90, 230), (310, 170))
renderer.draw_rect((100, 175, 60, 40))
texture.blend_mode, texture.alpha, texture.color = pygame.BLENDMODE_BLEND, 255, (255, 255, 255)
texture.draw(srcrect=(8, 8, 24, 24), dstrect=(180, 170, 90, 60), angle=-12)
pygame.image.save(renderer.to_surface(), "picture.png")
